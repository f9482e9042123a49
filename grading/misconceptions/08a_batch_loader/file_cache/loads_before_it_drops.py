# What a student believed: First the new value, then room for it.
# caught by: test_file_cache
# reads: The oldest value is dropped before load is called: at most slots are held.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
        else:
            self._held[key] = self.load(key)
            self.loads += 1
        self._held.move_to_end(key)
        while len(self._held) > self.slots:
            self._held.popitem(last=False)
        return self._held[key]
