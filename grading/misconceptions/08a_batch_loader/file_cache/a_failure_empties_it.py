# What a student believed: After an error, an empty cache is the safe one.
# caught by: test_file_cache
# reads: If load raises, at most the oldest value is lost.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        if len(self._held) == self.slots:
            self._held.popitem(last=False)
        try:
            self._held[key] = self.load(key)
        except BaseException:
            self._held.clear()
            raise
        self.loads += 1
        return self._held[key]
