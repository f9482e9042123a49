# What a student believed: The value that came first is the one that goes.
# caught by: test_file_cache
# reads: The values of the last slots different keys are held.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        value = self._held[key] = self.load(key)
        self.loads += 1
        return value
