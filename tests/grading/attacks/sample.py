"""The submissions that the usual suite grades: for each kind of attack some that represent
the others. `make test-long` grades all of them.
"""

ATTACKS = frozenset(
    [
        # steals and destroys
        "It prints the submissions of its neighbors, the gradebook and the hidden tests",
        "It gives everybody all points in the gradebook",
        "It calls servers on this machine: HTTP, datagrams, names, raw packets, an abstract unix"
        " socket",
        "It leaves a daemon behind that writes and calls later",
        # uses up the machine
        "One exercise loops for ever, which two tests meet",
        "It takes 6 GB in one process",
        "It ends the process in the middle, without a message",
        # forges results
        "It reads the tests from In, the history and the garbage collector, prints them and learns",
        "Every test cell is empty, with a new checksum",
        "It writes the engine's own notes into the notebook: no trouble, flags of a wrong kind",
        # deceives the sealed tests
        "Its package ends the process while it is imported",
        "It replaces the peer's encoder, its answers and its ids in its own process",
        "It keeps every array and hides them in a child process",
        # is malformed
        "The notebook is not JSON",
        "nbgrader's metadata is a list, a number or a word",
        "Only half of its cells can be read",
        "Its markdown, attachments, outputs, errors, titles and raw cells hold scripts",
        # comes with other files
        "It attaches modules called numpy, tinytorch, ipykernel and json",
        "Its notebook is a link to a neighbor's",
    ]
)
