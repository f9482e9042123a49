# What a student believed: An empty array takes the dtype of what is put into it.
# caught by: test_cifar10_batch_loader
# reads: input is uint8 of shape (n, 3072), output int64 of shape (n,).
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images, labels, filled = np.empty((end - start, IMAGE_SIZE)), np.empty(end - start), 0
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            images[filled : filled + last - first] = records["data"][first:last]
            labels[filled : filled + last - first] = records["labels"][first:last]
            filled += last - first
            del records
        return Batch(images, labels)
