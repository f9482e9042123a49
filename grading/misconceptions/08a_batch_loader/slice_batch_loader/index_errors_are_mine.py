# What a student believed: An IndexError of the loader says that the range lies outside.
# caught by: test_slice_batch_loader
# reads: An error of the loader reaches the caller unchanged, without a retry.
class SliceBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        try:
            return self.loader.get_batch(self.start + start, self.start + end)
        except IndexError:
            raise IndexError(f"range {start}:{end} is outside the slice") from None
