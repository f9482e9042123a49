# Loops and counters, no itertools; a new wheel for each draw without replacement.
def apply_transform(row, transform, kwargs):
    if callable(transform):
        return transform(row, **kwargs)
    if not isinstance(transform, dict):
        return dict(row)
    changed = {}
    for name in transform:
        function = transform[name] or (lambda value: value)
        changed[name] = function(row[name])
    return changed


def draw_without_replacement(weights, size, seed=None):
    left = np.array(weights, dtype=np.float64)
    usable = sum(weight > 0 for weight in left.tolist())
    if usable < size:
        raise ValueError(f"size {size} is more than the {usable} rows that can be drawn")
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(size):
        drawn.append(int(rng.choice(len(left), p=left / left.sum())))
        left[drawn[-1]] = 0
    return np.array(drawn, dtype=np.int64)


def shuffle_buffer(items, max_bytes, size_of, seed=None):
    generator = np.random.default_rng(seed)
    names, sizes = [], []
    for item in items:
        size = size_of(item)
        while names and sum(sizes) + size > max_bytes:
            place = int(generator.integers(len(names)))
            sizes.pop(place)
            yield names.pop(place)
        if size <= max_bytes:
            names.append(item)
            sizes.append(size)
        else:
            yield item
    for place in generator.permutation(len(names)):
        yield names[place]


def take_batches(stream, batch_size, drop_last=False):
    batch = []
    for item in stream:
        batch.append(item)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if len(batch) > 0 and drop_last is False:
        yield batch


def shard(stream, rank, world_size, even=False):
    if rank < 0 or rank >= world_size:
        raise ValueError(f"rank {rank} does not exist among {world_size} ranks")
    mine, have = None, False
    for number, item in enumerate(stream):
        if number % world_size == rank:
            mine, have = item, True
            if not even:
                yield mine
        if even and have and number % world_size == world_size - 1:
            yield mine
            have = False


class Bookmark:
    def follow(self, plan, load):
        for _ in range(self.batches):
            next(plan, None)
        for batch in load(plan):
            self.batches = self.batches + 1
            yield batch
        self.batches = 0
        self.epoch += 1
