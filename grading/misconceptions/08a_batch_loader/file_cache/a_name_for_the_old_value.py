# What a student believed: What popitem returns has to be unpacked.
# caught by: test_file_cache
# reads: The oldest value is dropped before load is called: at most slots are held.
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        if len(self._held) >= self.slots:
            old_key, old_value = self._held.popitem(last=False)
        value = self._held[key] = self.load(key)
        self.loads += 1
        return value
