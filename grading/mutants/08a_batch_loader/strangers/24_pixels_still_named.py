# What the student believed: `del records` lets go of all that was in it.
# breaks: "no name may hold one file while the next is loaded"; one slot,
# get_batch(8, 12): `pixels` keeps file 0 while file 1 is loaded.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        place = 0
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            pixels, numbers = records["data"], records["labels"]
            stop = place + last - first
            images[place:stop] = pixels[first:last]
            labels[place:stop] = numbers[first:last]
            place = stop
            del records
        return Batch({"input": images}, {"output": labels})
