# What the student believed: None may be a value, False will not be one.
# breaks: "A value may be anything"; cache = FileCache(lambda key: False):
# two gets of "a" give loads 2 and hits 0.
class FileCache:
    def _find(self, key: Hashable) -> Any:
        value = self._held.get(key, False)
        if value is not False:
            self._held.move_to_end(key)
            self.hits += 1
            return value
        self._held.pop(key, None)
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        value = self.load(key)
        self.loads += 1
        self._held[key] = value
        return value
