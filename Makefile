# Two commands: `make demo` and `make test`. Without make, the plain commands are in the README.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo lint test bench compare clean

demo: .venv/ready
	$(BIN)/tito dev demo --mistake q2_speed_up/time_saved

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist loadfile

bench: .venv/ready
	$(BIN)/python benchmarks/cli.py

compare: .venv/ready
	$(BIN)/python benchmarks/loaders.py

# Installed again when what it is made from changes.
.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed, this is %d.%d; try: make PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

clean:
	rm -rf .venv out
