# %% len_one_more: There is always one more batch for the rest. (promise 1)
class DataLoader:
    def __len__(self) -> int:
        full = len(self.dataset) // self.batch_size
        return full if self.drop_last else full + 1


# %% len_rounds_down: The number of batches is N divided by the batch size, as a whole
# number. (promise 1)
class DataLoader:
    def __len__(self) -> int:
        return len(self.dataset) // self.batch_size


# %% drop_last_has_no_say: The number of batches does not depend on what is done with
# the last one. (promise 2)
class DataLoader:
    def __len__(self) -> int:
        return -(-len(self.dataset) // self.batch_size)


# %% len_through_floats: np.ceil and np.floor round a quotient up and down. (promise 3)
class DataLoader:
    def __len__(self) -> int:
        rounded = np.floor if self.drop_last else np.ceil
        return int(rounded(len(self.dataset) / self.batch_size))


# %% len_reads_an_epoch: The number of batches is found by counting them. (promise 4)
class DataLoader:
    def __len__(self) -> int:
        count = 0
        for _ in range(0, len(self.dataset), self.batch_size):
            count += 1
        if len(self.dataset):
            self.dataset[0]
        if self.drop_last and len(self.dataset) % self.batch_size:
            count -= 1
        return count


# %% any_error_means_no_length: Whatever goes wrong with the length, there are no
# batches. (promise 5)
class DataLoader:
    def __len__(self) -> int:
        try:
            full, rest = divmod(len(self.dataset), self.batch_size)
        except Exception:
            return 0
        return full if self.drop_last or not rest else full + 1
