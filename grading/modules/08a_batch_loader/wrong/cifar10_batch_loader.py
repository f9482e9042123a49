# %% a_range_lies_in_one_file: A batch is so short that it lies in one file. (promise 1)
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        if start == end:
            return Batch(np.empty((0, IMAGE_SIZE), np.uint8), np.empty(0, np.int64))
        file, first = divmod(start, self.file_length)
        last, records = first + end - start, self.load_file(file)
        return Batch(records["data"][first:last].copy(), records["labels"][first:last].copy())


# %% from_the_begin_of_each_file: A piece of n records is the first n of its file.
# (promise 2)
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


# %% record_by_record: The cache makes it cheap to ask for each record. (promise 3)
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


# %% nothing_to_concatenate: There is always at least one piece. (promise 4)
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        pieces = []
        for file, first, last in file_ranges(start, end, self.file_length):
            records = self.load_file(file)
            pieces.append(
                (records["data"][first:last].copy(), records["labels"][first:last].copy())
            )
            del records
        return Batch(
            np.concatenate([data for data, _ in pieces]),
            np.concatenate([labels for _, labels in pieces]),
        )


# %% views_of_the_file: A slice of one file is a batch; it need not be copied. (promise
# 6)
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


# %% files_that_fail_are_left_out: A damaged file must not stop the training. (promise
# 8)
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
