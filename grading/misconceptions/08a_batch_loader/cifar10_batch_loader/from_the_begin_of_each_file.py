# What a student believed: A piece of n records is the first n of its file.
# caught by: test_cifar10_batch_loader
# reads: A batch holds the images and labels of its range, in order, across files.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        filled = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            place = slice(filled, filled + last - first)
            records = self.load_file(file)
            images[place] = records["data"][: last - first]
            labels[place] = records["labels"][: last - first]
            filled = place.stop
            del records
        return Batch(images, labels)
