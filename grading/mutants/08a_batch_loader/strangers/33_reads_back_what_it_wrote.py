# What the student believed: what was written can be read.
# breaks: "if there is none, it returns compute() and keeps that"; compute returns a
# generator or lambda (write warns that it cannot be kept): recall returns MISS.
def recall(store: MemoStore, key: str, compute: Callable[[], Any]) -> Any:
    with store.lock(key):
        if store.read(key) is MISS:
            store.write(key, compute())
        return store.read(key)
