# What a student believed: The lock is for looking and computing.
# caught by: test_recall
# reads: From the look to the write, the key is locked.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is not MISS:
            return value
        value = compute()
    store.write(key, value)
    return value
