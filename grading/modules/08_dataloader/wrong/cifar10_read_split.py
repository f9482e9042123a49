# %% train_has_no_say: The files of the dataset are the training files; the model does
# not see which are for testing. (promise 2)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TRAIN_FILES, read_batch

        batches = [read_batch(folder / name) for name in TRAIN_FILES]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.concatenate(
            [np.asarray(batch["labels"], dtype=np.int64) for batch in batches]
        )


# %% stacks_the_files: Joining the arrays of several files is np.stack. (promise 3)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = [], []
        for name in TRAIN_FILES if self.train else TEST_FILES:
            batch = read_batch(folder / name)
            images.append(to_images(batch["data"]))
            labels.extend(batch["labels"])
        self.images = np.stack(images)
        self.labels = np.array(labels, dtype=np.int64)


# %% labels_are_bytes: Ten classes fit into a byte, so the labels are uint8 like the
# images. (promise 4)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        batches = [
            read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)
        ]
        self.images = np.concatenate([to_images(batch["data"]) for batch in batches])
        self.labels = np.concatenate(
            [np.array(batch["labels"], dtype=np.uint8) for batch in batches]
        )


# %% images_put_in_front: np.concatenate([new, old]) appends the new images. (promise 5)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = np.empty((0, 3, 32, 32), np.uint8), []
        for name in TRAIN_FILES if self.train else TEST_FILES:
            batch = read_batch(folder / name)
            images = np.concatenate([to_images(batch["data"]), images])
            labels += list(batch["labels"])
        self.images, self.labels = images, np.array(labels, dtype=np.int64)


# %% transformed_while_reading: A dataset with a transform stores transformed images.
# (promise 6)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        batches = [
            read_batch(folder / name) for name in (TRAIN_FILES if self.train else TEST_FILES)
        ]
        images = np.concatenate([to_images(batch["data"]) for batch in batches])
        if self.transform is not None:
            images = np.stack([np.asarray(self.transform(Tensor(image)).data) for image in images])
        self.images = images
        self.labels = np.concatenate([np.array(b["labels"], dtype=np.int64) for b in batches])


# %% broken_files_left_out: A file that cannot be read is left out, and the rest is
# used. (promise 7)
class CIFAR10Dataset:
    def _read_split(self, folder: Path) -> None:
        from tinytorch.datasets import TEST_FILES, TRAIN_FILES, read_batch

        images, labels = [np.empty((0, 3, 32, 32), np.uint8)], [np.empty(0, np.int64)]
        for name in TRAIN_FILES if self.train else TEST_FILES:
            try:
                batch = read_batch(folder / name)
            except (OSError, ValueError):
                continue
            images.append(to_images(batch["data"]))
            labels.append(np.array(batch["labels"], dtype=np.int64))
        self.images, self.labels = np.concatenate(images), np.concatenate(labels)
