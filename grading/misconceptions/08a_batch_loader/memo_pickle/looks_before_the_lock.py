# What a student believed: The lock is for writing.
# caught by: test_recall
# reads: The key is locked from the read to the write.
def recall(store, key, compute):
    value = store.read(key)
    if value is MISS:
        with store.lock(key):
            value = compute()
            store.write(key, value)
    return value
