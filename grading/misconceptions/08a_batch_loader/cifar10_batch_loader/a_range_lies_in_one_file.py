# What a student believed: A batch is so short that it lies in one file.
# caught by: test_cifar10_batch_loader
# reads: input is uint8 of shape (n, 3072), output int64 of shape (n,).
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        if start == end:
            return Batch(np.empty((0, IMAGE_SIZE), np.uint8), np.empty(0, np.int64))
        file, first = divmod(start, self.file_length)
        last, records = first + end - start, self.load_file(file)
        return Batch(records["data"][first:last].copy(), records["labels"][first:last].copy())
