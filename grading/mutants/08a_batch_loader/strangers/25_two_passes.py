# What the student believed: the cache makes a second pass free.
# breaks: "Each file is asked for once"; one slot, get_batch(8, 12): files 0 1 0 1,
# so cache.loads is 4.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        pieces = file_ranges(start, end, self.file_length)

        def joined(key, room):
            place = 0
            for file, first, last in pieces:
                count = last - first
                room[place : place + count] = self.load_file(file)[key][first:last]
                place += count
            return room

        images = joined("data", np.empty((end - start, IMAGE_SIZE), np.uint8))
        labels = joined("labels", np.empty(end - start, np.int64))
        return Batch({"input": images}, {"output": labels})
