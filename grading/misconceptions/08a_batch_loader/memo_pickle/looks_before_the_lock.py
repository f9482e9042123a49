# What a student believed: The lock is for writing.
# caught by: test_what_another_process_kept_is_used
# reads: A result that another process kept before this one got the lock is used.
def recall(store, key, compute):
    value = store.read(key)
    if value is MISS:
        with store.lock(key):
            value = compute()
            store.write(key, value)
    return value
