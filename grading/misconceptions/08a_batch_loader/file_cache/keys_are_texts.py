# What a student believed: Keys are names, so str(key) is the key.
# caught by: test_file_cache
# reads: A value that is held is not loaded again, even if it is None, 0 or empty.
class FileCache:
    def _find(self, key):
        name = str(key)
        if name in self._held:
            self.hits += 1
            self._held.move_to_end(name)
            return self._held[name]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        value = self._held[name] = self.load(key)
        self.loads += 1
        return value
