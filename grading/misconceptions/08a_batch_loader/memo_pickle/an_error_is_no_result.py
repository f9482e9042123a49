# What a student believed: A computation that fails has the result None.
# caught by: test_recall
# reads: What compute or store raises reaches the caller unchanged, once.
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
