# %% the_lock_keeps_it: What is computed under the lock is kept. (promise 1)
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        return compute() if value is MISS else value


# %% writes_what_it_has_read: The store always gets the result. (promises 2, 5)
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is MISS:
            value = compute()
        store.write(key, value)
    return value


# %% nothing_means_none: A result of None is no result. (promise 3)
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is MISS or value is None:
            value = compute()
            store.write(key, value)
    return value


# %% looks_before_the_lock: The lock is for writing. (promise 4)
def recall(store, key, compute):
    value = store.read(key)
    if value is MISS:
        with store.lock(key):
            value = compute()
            store.write(key, value)
    return value


# %% locks_by_hand: What is locked above is unlocked below. (promise 7)
def recall(store, key, compute):
    lock = store.lock(key)
    lock.__enter__()
    value = store.read(key)
    if value is MISS:
        value = compute()
        store.write(key, value)
    lock.__exit__(None, None, None)
    return value
