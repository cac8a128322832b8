# Written for make 3.81 (macOS) and later. `make demo` and `make test` need nothing but Python.

VENV := .venv
ifeq ($(OS),Windows_NT) # in a shell of Git, MSYS2 or Cygwin
PYTHON ?= python
BIN := $(VENV)/Scripts
EXE := .exe
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif

.PHONY: help demo test check bench charts clean

help:
	@echo "make demo    install the package into $(VENV) and run its samples"
	@echo "make test    install the tools too and run the tests"
	@echo "make check   ruff, pyright, import contracts"
	@echo "make bench   compare with other systems (needs ../shared/bench)"
	@echo "make charts  measure draws and upper bounds for docs/performance.md (needs ../shared/bench)"
	@echo "make clean   remove $(VENV) and what tools left behind"

demo: $(VENV)/.installed
	@$(BIN)/softd3d demo

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright -p pyproject.toml
	$(BIN)/lint-imports

# The kit stays as it was found: no byte code is written beside it.
# NumPy's BLAS keeps its threads spinning for up to 2^n ticks after a call; without the limit, 50 ms,
# they take a core from whoever is measured next.
bench: $(VENV)/.installed
	@test -f ../shared/bench/compare.py || { \
	  echo "make bench: ../shared/bench/compare.py is not there; the kit lies beside the project" >&2; \
	  exit 1; }
	OPENBLAS_THREAD_TIMEOUT=20 PYTHONDONTWRITEBYTECODE=1 $(BIN)/python ../shared/bench/compare.py \
	  --ours "$(CURDIR)/$(BIN)/python $(CURDIR)/benchmarks/worker.py" \
	  --peers lavapipe,numpy $(BENCH)

# Numbers go to build/performance; those of `make bench BENCH="--json build/performance/kit.json"`
# go into the page, too. Wants two idle cores for some minutes.
MEASURED := build/performance
charts: $(VENV)/.installed-bench
	@mkdir -p $(MEASURED)
	$(BIN)/python benchmarks/limits/run.py --json $(MEASURED)/limits.json
	$(BIN)/python benchmarks/draws.py --json $(MEASURED)/draws.json --charts docs/charts
	$(BIN)/python benchmarks/calls.py --json $(MEASURED)/calls.json
	$(BIN)/python benchmarks/stages.py --json $(MEASURED)/stages.json
	$(BIN)/python benchmarks/page.py $(MEASURED)

# A stamp for each kind of installation, so that it is repeated only when pyproject.toml changes.
# The package is installed in place: changed sources need no new installation.
$(VENV)/.installed: pyproject.toml | $(BIN)/python$(EXE)
	@echo "Installing softd3d into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python$(EXE)
	@echo "Installing softd3d and its tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python$(EXE)
	@echo "Installing softd3d and matplotlib into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable '.[bench]'
	@touch $(VENV)/.installed $@

# Half an environment is worse than none: one that could not be made is removed.
$(BIN)/python$(EXE):
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "make: no $(PYTHON). Install Python 3.11 or newer, or name it: make PYTHON=..." >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $(PYTHON) is older than 3.11. Name a newer one: make PYTHON=python3.12 ..." >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) cannot make virtual environments (no ensurepip)." >&2; \
	  echo "On Debian and Ubuntu: sudo apt install python3-venv" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
