# What a student believed: The cache makes it cheap to ask for each record.
# caught by: test_cifar10_batch_loader
# reads: Each file that holds records of the range is asked for once, other files never.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        for place, record in enumerate(range(start, end)):
            file, row = divmod(record, self.file_length)
            images[place] = self.load_file(file)["data"][row]
            labels[place] = self.load_file(file)["labels"][row]
        return Batch(images, labels)
