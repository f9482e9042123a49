# What the student believed: a file that could not be read may be read next time.
# breaks: "the error goes on to the caller"; a load that raises OSError on its
# first call only: get("a") returns a value, and load was called twice for one get.
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
        except OSError:
            value = self.load(key)
        self._held[key] = value
        self.loads += 1
        return value
