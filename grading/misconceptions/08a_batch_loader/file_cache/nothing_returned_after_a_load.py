# What a student believed: What was loaded is held, and that is all.
# caught by: test_file_cache
# reads: get(key) returns what load(key) returned.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        self._held[key] = self.load(key)
        self.loads += 1
