# %% truth_of_the_value: get() of a dict says whether a key is held. (promise 2)
class FileCache:
    def _find(self, key):
        value = self._held.get(key)
        if value is not None:
            self.hits += 1
            self._held.move_to_end(key)
            return value
        if key not in self._held and len(self._held) >= self.slots:
            self._held.popitem(last=False)
        self._held[key] = self.load(key)
        self.loads += 1
        return self._held[key]


# %% first_in_first_out: The value that came first is the one that goes. (promise 3)
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
            return self._held[key]
        while len(self._held) >= self.slots:
            self._held.popitem(last=False)
        value = self._held[key] = self.load(key)
        self.loads += 1
        return value


# %% every_get_is_a_hit: A get that is answered is a hit. (promise 4)
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


# %% loads_before_it_drops: First the new value, then room for it. (promise 5)
class FileCache:
    def _find(self, key):
        if key in self._held:
            self.hits += 1
        else:
            self._held[key] = self.load(key)
            self.loads += 1
        self._held.move_to_end(key)
        while len(self._held) > self.slots:
            self._held.popitem(last=False)
        return self._held[key]


# %% counted_before_it_is_loaded: A load is counted when it begins. (promise 7)
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


# %% a_failure_empties_it: After an error, an empty cache is the safe one. (promise 8)
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
