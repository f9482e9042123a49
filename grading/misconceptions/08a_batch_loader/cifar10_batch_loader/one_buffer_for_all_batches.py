# What a student believed: Batches of one size can share their memory.
# caught by: test_cifar10_batch_loader
# reads: A batch has its own memory, shared with no file and no other batch.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        room = getattr(self, "room", None)
        if room is None or len(room[1]) != end - start:
            room = np.empty((end - start, IMAGE_SIZE), np.uint8), np.empty(end - start, np.int64)
            self.room = room
        images, labels = room
        filled = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            place = slice(filled, filled + last - first)
            records = self.load_file(file)
            images[place] = records["data"][first:last]
            labels[place] = records["labels"][first:last]
            filled = place.stop
            del records
        return Batch(images, labels)
