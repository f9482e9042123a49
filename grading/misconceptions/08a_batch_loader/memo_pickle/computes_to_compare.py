# What a student believed: A result is computed, and kept if it is new.
# caught by: test_recall
# reads: A kept result is returned, neither computed nor written again.
def recall(store, key, compute):
    with store.lock(key):
        kept = store.read(key)
        value = compute()
        if kept is MISS:
            store.write(key, value)
            return value
        return kept
