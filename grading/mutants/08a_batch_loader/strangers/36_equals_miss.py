# What the student believed: == and `is` are the same for MISS.
# breaks: "it returns the result kept under `key`" and "(compare with `is`)";
# recall(store, "k", lambda: np.arange(3)) twice: the second raises ValueError.
def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    with store.lock(key):
        value = store.read(key)
        if value == MISS:
            value = compute()
            store.write(key, value)
        return value
