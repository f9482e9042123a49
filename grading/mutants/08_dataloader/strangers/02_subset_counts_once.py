# What the student believed: a dataset cannot show the same sample twice, so its length
# is the number of different samples.
# breaks: "`len(subset)` = number of indices": Subset("abc", [0, 0, 1]) has length 2,
# and its last sample cannot be read.
class Subset:
    def __len__(self) -> int:
        """Return the number of samples shown."""
        return len(set(self.indices))
