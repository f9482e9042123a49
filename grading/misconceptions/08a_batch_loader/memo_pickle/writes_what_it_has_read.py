# What a student believed: The store always gets the result.
# caught by: test_recall
# reads: A kept result is returned, neither computed nor written again.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        if value is MISS:
            value = compute()
        store.write(key, value)
    return value
