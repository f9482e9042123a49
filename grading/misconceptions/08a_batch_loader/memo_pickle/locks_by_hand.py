# What a student believed: What is locked above is unlocked below.
# caught by: test_recall
# reads: After an error of compute nothing is kept and the lock is free.
def recall(store, key, compute):
    lock = store.lock(key)
    lock.__enter__()
    value = store.read(key)
    if value is MISS:
        value = compute()
        store.write(key, value)
    lock.__exit__(None, None, None)
    return value
