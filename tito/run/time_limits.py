"""How long a student's tests may run, in seconds: a loop that never ends is soon red."""

PART_SECONDS = 30.0  # the cells, or the contract tests, of one exercise
WHOLE_SECONDS = 120.0  # all cells together, and all contract tests together
