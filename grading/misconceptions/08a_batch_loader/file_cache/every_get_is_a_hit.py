# What a student believed: A get that is answered is a hit.
# caught by: test_file_cache
# reads: loads counts the calls of load that returned, hits the gets that needed none.
class FileCache:
    def _find(self, key):
        if key not in self._held:
            while len(self._held) >= self.slots:
                self._held.popitem(last=False)
            self._held[key] = self.load(key)
            self.loads += 1
        self.hits += 1
        self._held.move_to_end(key)
        return self._held[key]
