# What a student believed: There is always at least one piece.
# caught by: test_cifar10_batch_loader
# reads: An empty range gives an empty Batch and reads no file.
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
