# What the student believed: a better message is worth another exception.
# breaks: "the error goes on to the caller"; a load that raises FileNotFoundError: get
# raises a RuntimeError, which `except OSError` does not catch.
class FileCache:
    def _find(self, key: Hashable) -> Any:
        if key in self._held:
            self._held.move_to_end(key)
            self.hits += 1
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        try:
            value = self.load(key)
        except Exception as error:
            raise RuntimeError(f"could not load {key!r}") from error
        self.loads += 1
        self._held[key] = value
        return value
