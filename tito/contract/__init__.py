"""Contract tests: pytest tests that reach a student's package only through the fixture `tt`.

`plugin` is the pytest plugin. `tt` has two forms: the imported module itself, and `proxy`, a
trusted end that speaks to `worker` (a bare Python process that imports the package) in `wire`
frames: JSON and `.npy`, never pickle.
"""
