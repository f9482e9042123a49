# %% collated_twice: create_batch can be asked again for what it returned. (promise 1)
class DataLoader:
    def do_batch(self, items):
        changed = self.before_batch(items)
        self.create_batch(changed)
        return self.retain(self.create_batch(changed), items)


# %% before_batch_changes_in_place: before_batch changes the list that it gets. (promise
# 2)
class DataLoader:
    def do_batch(self, items):
        self.before_batch(items)
        return self.retain(self.create_batch(items), items)


# %% retain_gets_what_was_changed: The items are what before_batch made of them.
# (promise 3)
class DataLoader:
    def do_batch(self, items):
        items = self.before_batch(items)
        return self.retain(self.create_batch(items), items)


# %% retain_changes_in_place: retain changes the batch that it gets. (promise 4)
class DataLoader:
    def do_batch(self, items):
        batch = self.create_batch(self.before_batch(items))
        self.retain(batch, items)
        return batch


# %% one_error_for_all: An error shall say that it was a batch. (promise 5)
class DataLoader:
    def do_batch(self, items):
        try:
            return self.retain(self.create_batch(self.before_batch(items)), items)
        except Exception as problem:
            raise RuntimeError(f"a batch of {len(items)} items cannot be made") from problem
