# What a student believed: A loader has one array of inputs and one of outputs.
# caught by: test_array_batch_loader
# reads: Every array is in the batch, under its name, in inputs or outputs.
class ArrayBatchLoader:
    def get_batch(self, start, end):
        check_range(start, end, self.length)
        (image, images), (label, labels) = (
            next(iter(side.items())) for side in (self.inputs, self.outputs)
        )
        return Batch({image: images[start:end]}, {label: labels[start:end]})
