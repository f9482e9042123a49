# Two commands: `make demo` and `make test`. Without make, the plain commands are in the README.
# `make test` takes about six minutes on two cores; `make test-long` runs what takes long by nature (each attack, rounds of kills,
# JupyterHub, PostgreSQL); `make test-torch` tests against the real PyTorch, TensorFlow, JAX and scikit-learn, in an environment of
# its own.
PYTHON ?= python3
BIN := .venv/bin
# Whole files go to the workers, those that take longest first (tests/conftest.py).
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo lint test test-long test-torch bench compare clean

demo: .venv/ready
	$(BIN)/tito dev demo 08 --mistake hours_saved/all_loading_is_hidden

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: .venv/ready
	$(PYTEST) -m "not long and not torch"

test-long: .venv/ready
	$(PYTEST) -m "long and not torch"

test-torch: .venv-torch/ready
	.venv-torch/bin/python -m pytest -m torch tests/tinytorch

bench: .venv/ready
	$(BIN)/python benchmarks/cli.py

compare: .venv/ready
	$(BIN)/python benchmarks/compare_loaders.py

# Installed again when what it is made from changes.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed, this is %d.%d; try: make PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

# The versions of these libraries in benchmarks/peers.txt; any build will do.
.venv-torch/ready: pyproject.toml constraints.txt benchmarks/peers.txt
	$(PYTHON) -m venv .venv-torch
	.venv-torch/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[notebook]" hypothesis psutil "$$(grep '^torch==' benchmarks/peers.txt)" "$$(grep '^tensorflow-cpu==' benchmarks/peers.txt)" "$$(grep '^jax==' benchmarks/peers.txt)" "$$(grep '^scikit-learn==' benchmarks/peers.txt)" "$$(grep '^accelerate==' benchmarks/peers.txt)" "$$(grep '^lightning==' benchmarks/peers.txt)"
	@touch $@

clean:
	rm -rf .venv .venv-torch out
