# What the student believed: a range in one file needs no room, and labels are small.
# breaks: "The batch has its own memory";
# loader.get_batch(2, 5).outputs["output"][:] = 9 writes into the cached file;
# the next get_batch(2, 5) has labels 9.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        pieces = file_ranges(start, end, self.file_length)
        if len(pieces) == 1:
            file, first, last = pieces[0]
            records = self.load_file(file)
            return Batch(
                {"input": records["data"][first:last].copy()},
                {"output": records["labels"][first:last]},
            )
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        place = 0
        for file, first, last in pieces:
            records = self.load_file(file)
            images[place : place + last - first] = records["data"][first:last]
            labels[place : place + last - first] = records["labels"][first:last]
            place += last - first
            del records
        return Batch({"input": images}, {"output": labels})
