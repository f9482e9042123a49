# What the student believed: `except Exception` catches whatever load may raise.
# breaks: "A load that raises is not counted, and nothing is kept of it"; a load that
# raises KeyboardInterrupt leaves None, and the next get of the key returns it as a hit.
class FileCache:
    def _find(self, key: Hashable) -> Any:
        if key in self._held:
            self.hits += 1
            self._held.move_to_end(key)
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        self._held[key] = None  # the slot is taken now
        try:
            self._held[key] = self.load(key)
        except Exception:
            del self._held[key]
            raise
        self.loads += 1
        return self._held[key]
