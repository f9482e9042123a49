# What a student believed: A damaged file must not stop the training.
# caught by: test_cifar10_batch_loader
# reads: An error of reading a file reaches the caller unchanged, without a retry.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images = np.zeros((end - start, IMAGE_SIZE), np.uint8)
        labels = np.zeros(end - start, np.int64)
        filled = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            place = slice(filled, filled + last - first)
            filled = place.stop
            try:
                records = self.load_file(file)
            except (OSError, ValueError):
                continue
            images[place] = records["data"][first:last]
            labels[place] = records["labels"][first:last]
            del records
        return Batch(images, labels)
