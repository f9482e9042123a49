# What the student believed: the lock is for the computing; write is atomic by itself.
# breaks: "From the look to the write, the key is locked"; events of a first call:
# lock, read, compute, unlock, write; a process that waits looks before the write.
def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    with store.lock(key):
        value = store.read(key)
        if value is not MISS:
            return value
        value = compute()
    store.write(key, value)
    return value
