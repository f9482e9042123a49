# What the student believed: of an empty array only the shape matters.
# breaks: "inputs uint8 of shape (n, 3072), outputs int64 of shape (n,)"; in
# loader.get_batch(5, 5) both arrays are float64.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        if start == end:
            return Batch({"input": np.empty((0, IMAGE_SIZE))}, {"output": np.empty(0)})
        images, labels = [], []
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            images.append(records["data"][first:last].copy())
            labels.append(records["labels"][first:last].copy())
            del records
        return Batch({"input": np.concatenate(images)}, {"output": np.concatenate(labels)})
