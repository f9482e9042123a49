# %% a_new_iterator_for_each_item: iter(dataset) goes on where it was. (promise 3)
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(iter(self.dataset))


# %% zero_is_no_index: An index that is false is none. (promise 4)
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        if s:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None


# %% the_datasets_brackets: self.read(s) is just another way to write self.dataset[s].
# (promise 6)
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.dataset[0 if s is None else s]
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None


# %% only_after_item_skips: Whoever skips does it in after_item. (promise 7)
class DataLoader:
    def do_item(self, s):
        self.aim(s)
        item = self.call("create_item", s)
        try:
            return self.call("after_item", item)
        except SkipItemException:
            return None


# %% every_error_skips: A damaged item is left out, whatever is wrong with it. (promise
# 8)
class DataLoader:
    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except Exception:
            return None


# %% a_new_error_for_each: An error shall say which item it was. (promise 9)
class DataLoader:
    def create_item(self, s):
        if self.indexed:
            return self.read(0 if s is None else s)
        if s is not None:
            raise IndexError(f"a stream has no item {s}")
        return next(self.it)

    def do_item(self, s):
        self.aim(s)
        try:
            return self.call("after_item", self.call("create_item", s))
        except SkipItemException:
            return None
        except (KeyError, IndexError, AttributeError, OSError) as problem:
            raise RuntimeError(f"item {s} cannot be loaded") from problem
