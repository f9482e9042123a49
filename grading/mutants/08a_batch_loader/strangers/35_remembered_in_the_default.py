# What the student believed: what this process knows need not be read from the disk.
# breaks: "returns the result kept under key; if there is none, it returns compute()";
# recall(store1, "k", lambda: 1); recall(store2, "k", lambda: 2) returns 1 (and so
# does store1 after store1.clear()).
def recall(store: MemoStore, key: str, compute: Callable[[], Any], known: dict = {}) -> Any:
    with store.lock(key):
        if key in known:
            return known[key]
        value = store.read(key)
        if value is MISS:
            value = compute()
            store.write(key, value)
        known[key] = value
        return value
