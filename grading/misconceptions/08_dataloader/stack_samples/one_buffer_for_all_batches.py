# What a student believed: Memory for a batch is made once and used again.
# caught by: test_stack_samples
# reads: A batch has new memory, even for one value: writing into a batch changes no value and no
# other batch.
buffers = {}


def stack_samples(values: Sequence) -> Tensor:
    arrays = [value.data if isinstance(value, Tensor) else np.asarray(value) for value in values]
    if not arrays:
        raise ValueError("a batch needs at least one sample, got none")
    odd = [f"position {k}: {a.shape}" for k, a in enumerate(arrays) if a.shape != arrays[0].shape]
    if odd:
        raise ValueError(f"position 0 has {arrays[0].shape}, but {', '.join(odd)}")
    kind = (len(arrays), arrays[0].shape, np.result_type(*arrays))
    if kind not in buffers:
        buffers[kind] = np.empty((len(arrays), *arrays[0].shape), kind[2])
    return Tensor(np.stack(arrays, out=buffers[kind]))
