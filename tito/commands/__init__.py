"""One verb a file: the docstring is its help, `add_arguments(parser)` its options, `run(args)`
the work and the exit code.
"""
