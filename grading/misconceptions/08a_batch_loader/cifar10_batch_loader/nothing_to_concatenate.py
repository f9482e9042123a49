# What a student believed: There is always at least one piece.
# caught by: test_cifar10_batch_loader
# reads: An empty range gives an empty Batch and reads no file.
class CIFAR10BatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, len(self))
        pieces = [
            (
                self.load_file(file)["data"][first:last].copy(),
                self.load_file(file)["labels"][first:last].copy(),
            )
            for file, first, last in file_ranges(start, end, self.file_length)
        ]
        return Batch(
            np.concatenate([data for data, _ in pieces]),
            np.concatenate([labels for _, labels in pieces]),
        )
