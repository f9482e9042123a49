# What a student believed: A slice of one file is a batch; it need not be copied.
# caught by: test_cifar10_batch_loader
# reads: A batch has its own memory, shared with no file and no other batch.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images, labels = [], []
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            images.append(records["data"][first:last])
            labels.append(records["labels"][first:last])
            del records
        if len(images) == 1:
            return Batch(images[0], labels[0])
        return Batch(
            np.concatenate([np.empty((0, IMAGE_SIZE), np.uint8), *images]),
            np.concatenate([np.empty(0, np.int64), *labels]),
        )
