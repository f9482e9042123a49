# What the student believed: making room is dear, so the room of the last batch is used.
# breaks: "The batch has its own memory"; a = loader.get_batch(0, 3) and then
# loader.get_batch(5, 8): a's images are those of records 5 to 7.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        count = end - start
        if len(getattr(self, "_room", ())) < count or not hasattr(self, "_room"):
            self._room = np.empty((count, IMAGE_SIZE), np.uint8)
        images = self._room[:count]
        labels = np.empty(count, np.int64)
        place = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            images[place : place + last - first] = records["data"][first:last]
            labels[place : place + last - first] = records["labels"][first:last]
            place += last - first
            del records
        return Batch({"input": images}, {"output": labels})
