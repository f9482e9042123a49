"""Loaders beside that of module 08: range reads, hooks and workers, fluent pipelines.

Students export `batch_loader.py` (08a), `callback_loader.py` (08b) and `pipeline.py` (08c) to this
folder. The other files are given. They hold the plumbing that the three loaders need, so that
students need not write it: files shared by processes, YAML, shared memory, SQL.
"""
