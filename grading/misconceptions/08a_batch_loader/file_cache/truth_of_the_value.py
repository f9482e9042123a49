# What a student believed: get() of a dict says whether a key is held.
# caught by: test_file_cache
# reads: A value that is held is not loaded again, even if it is None, 0 or empty.
class FileCache:
    def _find(self, key):
        value = self._held.get(key)
        if value is not None:
            self.hits += 1
            self._held.move_to_end(key)
            return value
        if key not in self._held and len(self._held) >= self.slots:
            self._held.popitem(last=False)
        self._held[key] = self.load(key)
        self.loads += 1
        return self._held[key]
