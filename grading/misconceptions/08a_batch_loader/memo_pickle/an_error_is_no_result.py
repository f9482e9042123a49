# What a student believed: A computation that fails has the result None.
# caught by: test_recall
# reads: An error of compute or store reaches the caller unchanged, without a retry.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is MISS:
            try:
                value = compute()
            except Exception:
                value = None
            store.write(key, value)
    return value
