# What a student believed: The lock is for looking and computing.
# caught by: test_recall
# reads: The key is locked from the read to the write.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is not MISS:
            return value
        value = compute()
    store.write(key, value)
    return value
