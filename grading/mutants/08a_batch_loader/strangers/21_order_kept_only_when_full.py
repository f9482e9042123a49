# What the student believed: while there is room nobody has to go, so no order matters.
# breaks: "It keeps the last `slots` different ones used"; three slots, gets a b a c d:
# a is dropped although b was used longer ago; resident is ("b", "c", "d").
class FileCache:
    def _find(self, key: Hashable) -> Any:
        full = len(self._held) >= self.slots
        if key in self._held:
            if full:
                self._held.move_to_end(key)
            self.hits += 1
            return self._held[key]
        if full:
            self._held.popitem(last=False)
        self._held[key] = self.load(key)
        self.loads += 1
        return self._held[key]
