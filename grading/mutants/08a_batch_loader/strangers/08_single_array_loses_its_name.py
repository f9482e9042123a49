# What the student believed: a side with one array is a bare array.
# breaks: "names kept"; ArrayBatchLoader({"image": x}, y).get_batch(0, 2).inputs has the
# key "input" and no "image".
class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        for array in self._maps:
            rows(array, np.empty(0, np.int64))
        check_range(start, end, self.length)

        def cut(side):
            parts = {name: array[start:end] for name, array in side.items()}
            return next(iter(parts.values())) if len(parts) == 1 else parts

        return Batch(cut(self.inputs), cut(self.outputs))
