# What a student believed: A load is counted when it begins.
# caught by: test_file_cache
# reads: A load that raises is not counted, and nothing is kept of it.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        self.loads += 1
        self._held[key] = self.load(key)
        return self._held[key]
