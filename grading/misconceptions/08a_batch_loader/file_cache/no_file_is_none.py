# What a student believed: A file that cannot be read is None.
# caught by: test_file_cache
# reads: An error of load reaches the caller unchanged, without a retry.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        try:
            value = self.load(key)
        except OSError:
            return None
        self._held[key] = value
        self.loads += 1
        return value
