# What the student believed: the files of a range go from start // L to end // L.
# breaks: "Each file is asked for once, and only if it has records of the range";
# files of 10 records, get_batch(0, 10) loads file 1 as well.
class CIFAR10BatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        check_range(start, end, len(self))
        images = np.empty((end - start, IMAGE_SIZE), np.uint8)
        labels = np.empty(end - start, np.int64)
        if start < end:
            final = min(end // self.file_length, len(self.pickle_files) - 1)
            for file in range(start // self.file_length, final + 1):
                offset = file * self.file_length
                first = max(start - offset, 0)
                last = min(end - offset, self.file_length)
                here = slice(offset + first - start, offset + last - start)
                records = self.load_file(file)
                images[here] = records["data"][first:last]
                labels[here] = records["labels"][first:last]
                del records
        return Batch({"input": images}, {"output": labels})
