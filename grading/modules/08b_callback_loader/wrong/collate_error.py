# %% the_first_is_right: What differs from the first item is odd. (promise 1)
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    rows = [
        f"item {k}: {difference(d, descriptions[0])}"
        for k, d in enumerate(descriptions)
        if d != descriptions[0]
    ]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e


# %% the_last_of_equals: Of equally frequent descriptions any is the usual one. (promise
# 2)
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(reversed(descriptions)).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from e


# %% one_is_enough: The first odd item is enough; mend it and run again. (promise 3)
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    for k, d in enumerate(descriptions):
        if d != usual:
            raise ValueError(f"item {k}: {difference(d, usual)}") from e
    raise e


# %% first_error_hidden: The new message replaces the old error. (promise 5)
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    if not rows:
        raise e
    raise ValueError("; ".join(rows)) from None


# %% always_a_shape: If collation failed, some item is odd. (promise 6)
def collate_error(e: Exception, batch: Sequence):
    descriptions = [describe(item) for item in batch]
    usual = Counter(descriptions).most_common(1)[0][0]
    rows = [f"item {k}: {difference(d, usual)}" for k, d in enumerate(descriptions) if d != usual]
    raise ValueError("cannot collate " + "; ".join(rows)) from e
