# What a student believed: The KeyError can only come from the dict.
# caught by: test_file_cache
# reads: An error of load reaches the caller unchanged, without a retry.
class FileCache:
    def _find(self, key):
        while True:
            try:
                if key not in self._held:
                    while len(self._held) >= self.slots:
                        self._held.popitem(last=False)
                    self._held[key] = self.load(key)
                    self.loads += 1
                else:
                    self.hits += 1
                    self._held.move_to_end(key)
                return self._held[key]
            except KeyError:
                self._held[key] = self.load(key)
