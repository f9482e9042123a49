# What the student believed: popitem removes the value, so it is gone.
# breaks: "the oldest is let go before load is called, and nothing else may hold on to
# it"; one slot, get("a"), get("b"): `old` holds a's value while load("b") runs.
class FileCache:
    def _find(self, key: Hashable) -> Any:
        if key in self._held:
            self._held.move_to_end(key)
            self.hits += 1
            return self._held[key]
        if len(self._held) == self.slots:
            old_key, old = self._held.popitem(last=False)
            assert old_key != key
        value = self.load(key)
        self.loads += 1
        self._held[key] = value
        return value
