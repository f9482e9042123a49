# What a student believed: A variable of the loop is empty when the next round begins.
# caught by: test_cifar10_batch_loader
# reads: No variable refers to one file while the next one is loaded.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images, labels, filled = (
            np.empty((end - start, IMAGE_SIZE), np.uint8),
            np.empty(end - start, np.int64),
            0,
        )
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            images[filled : filled + last - first] = records["data"][first:last]
            labels[filled : filled + last - first] = records["labels"][first:last]
            filled += last - first
        return Batch(images, labels)
