"""How long a student's tests may run, in seconds, and how much memory they may use: a loop that
never ends is soon red. With the questions that the messages ask.
"""

PART_SECONDS = 30.0  # the cells, or the contract tests, of one exercise
WHOLE_SECONDS = 120.0  # all cells together, and all contract tests together
MOST_GIB = 2  # of memory for code under test, as in the sandbox of the grader
ENDLESS = "is there a loop that never ends?"
GROWING = "is there a list that grows in a loop that never ends?"
