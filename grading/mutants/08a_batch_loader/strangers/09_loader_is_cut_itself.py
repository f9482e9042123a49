# What the student believed: self.inputs is a place to work in.
# breaks: "get_batch(start, end) is a Batch with that range of every array"; the second
# call: get_batch(3, 7) and then get_batch(0, 4) gives records 3, 4, 5, 6.
class ArrayBatchLoader:
    def get_batch(self, start: int, end: int) -> Batch:
        for array in self._maps:
            rows(array, np.empty(0, np.int64))
        check_range(start, end, self.length)
        for side in (self.inputs, self.outputs):
            for name in side:
                side[name] = side[name][start:end]
        return Batch(self.inputs, self.outputs)
