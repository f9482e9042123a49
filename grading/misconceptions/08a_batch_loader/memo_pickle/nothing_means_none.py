# What a student believed: A result of None is no result.
# caught by: test_recall
# reads: A result of None, 0 or empty is a result.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is MISS or value is None:
            value = compute()
            store.write(key, value)
    return value
