# What a student believed: What is computed under the lock is kept.
# caught by: test_recall
# reads: A missing result is computed once, kept and returned.
def recall(store, key, compute):
    with store.lock(key):
        value = store.read(key)
        return compute() if value is MISS else value
