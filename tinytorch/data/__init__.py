"""Other loaders than module 08's: range reads, hooks and workers, fluent pipelines.

Students export `batch_loader.py` (08a), `callback_loader.py` (08b) and `pipeline.py` (08c) to this
folder. The other files are given: what the three stand on and what is not their idea, such as files
shared by processes, YAML, shared memory and SQL.
"""
