"""What to call instead of the calls that make many loaders slow.

A row is a pattern, an action, and whether samples are then stored as they are read, so that a run
with stored samples tells the gain. The pattern is searched in the line of the user's code that
takes the time, and in the names of the library functions that this line was seen in, such as
"pandas/core/indexing.py:__getitem__". The first row that fits counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

KNOWN_CALLS = (
    (
        r"pandas/core/indexing\.py:|\.i?loc\[",
        "take the columns out once, as arrays = frame[columns].to_numpy(), and index the arrays:"
        " .iloc and .loc make a new Series for every row",
        True,
    ),
    (
        r"gzip\.py:(seek|_rewind)|_compression\.py:seek|(lzma|bz2)\.py:seek|zipfile\S*:seek",
        "unpack the file once and read the unpacked one: to seek backward in a compressed file is"
        " to unpack it again from its start",
        False,
    ),
    (
        r"(gzip|lzma|bz2)\.py:|\b(gzip|lzma|bz2|zlib)\.(open|decompress)\(",
        "unpack the data once, before the first epoch: every read unpacks it again",
        False,
    ),
    (
        r"read_row_group\b",
        "read a row group once and give out all its rows before the next: a group holds many rows,"
        " and all of them are decoded for one",
        True,
    ),
    (
        r"zipfile\.py:(__init__|_RealGetContents)|\b(Zip|Tar|Parquet)File\(|\.connect\(",
        "open it once in each process and keep it open: to open it for every sample is to read its"
        " list of contents again",
        False,
    ),
    (
        r"\.as_py\(|\.to_pylist\(|\.to_pydict\(",
        "read a column or a batch of rows as one array: table.column(name).to_numpy(), then"
        " index the array: .as_py() makes a Python object of every value",
        True,
    ),
    (
        r"\bstrptime\(|\b(Timestamp|to_datetime|fromisoformat)\(",
        "parse all times of a file or a batch in one call: pd.to_datetime(list_of_texts)",
        True,
    ),
    (
        r"\bre(/__init__)?\.py:_compile|sre_compile\.py:|re/_compiler\.py:",
        "compile the pattern once, before the loop: pattern = re.compile(...); join many patterns"
        " with | to one",
        False,
    ),
    (
        r"\.execute(many)?\(|sqlalchemy/",
        "ask for a whole batch in one query (WHERE id IN ...), and give the column that is searched"
        " an index (CREATE INDEX): without one, the database reads the whole table",
        False,
    ),
    (
        r"\b(h5py|zarr|netCDF4)/|\bh5py\.File\(|\bzarr\.open",
        "read the data into memory once, if it fits: file[name][:]; else the rows of a batch in one"
        " call, as sorted indices, from a file that stays open (__getitems__): for each row that is"
        " read alone, a chunk of many is unpacked",
        True,
    ),
    (
        r"transformers/tokenization|tokenizers/|tokenizer\(|\.(encode|encode_plus|tokenize)\(",
        "tokenize all texts once before the first epoch, or a batch in one call:"
        " tokenizer(list_of_texts)",
        True,
    ),
    (
        r"datasets/(arrow_dataset|formatting|table)",
        'call dataset.with_format("numpy") (or "torch"): without it, every number becomes a Python'
        " object",
        False,
    ),
    (
        r"PIL/(ImageFile|\w+ImagePlugin)\.py:|PIL/Image\.py:(open|resize|thumbnail)|"
        r"\b(imread|Image\.open|decode_jpeg|imdecode)\(",
        "decode and resize the images once, and store them as one uint8 array (np.save, then"
        ' np.load(mmap_mode="r"))',
        True,
    ),
    (
        r"logging/\w+\.py:|\blog(ger|ging)?\.(debug|info|warning)\(",
        "do not log for every sample: each record is formatted and written before the next read",
        False,
    ),
    (
        r"\bsleep\(",
        "wait by queue.get() or event.wait(), which return as soon as there is something: a sleep"
        " goes on",
        False,
    ),
    (
        r"\bcopy\.py:|\bdeepcopy\(",
        "copy only what is changed, with array.copy(); or copy nothing",
        False,
    ),
    (
        r"json/\w+\.py:|\bjson\.loads?\(|\bcsv\.py:|\bast\.literal_eval\(|pickle\.loads?\(",
        "parse the data once and store the arrays (np.save): every read parses them again",
        True,
    ),
)


_LOCK = re.compile(
    r"\bwith\b[^:]*(lock|mutex|semaphore)\w*\b|(lock|mutex|semaphore)\w*\.acquire\(", re.I
)


def takes_a_lock(line: str) -> bool:
    """Whether a source line waits for a lock."""
    return bool(_LOCK.search(line))


def action_for(line: str, below: Iterable[str]) -> tuple[str, bool]:
    """(what to call instead, whether samples are then stored); ("", False) where no row fits.

    Args:
        line: the source line in which most time is spent.
        below: the library functions that it was seen in, each as "folder/file.py:function".
    """
    texts = [line, *below]
    fits = (row for row in KNOWN_CALLS if any(re.search(row[0], text) for text in texts))
    _, action, stores = next(fits, ("", "", False))
    return action, stores
