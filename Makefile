# Every target sets up what it needs: a virtual environment in .venv, from a Python 3.11 to 3.14.
# Name one with `make PYTHON=/path/to/python`. On Linux without an NVIDIA card, torch is the build
# without CUDA, from the index SMALL_TORCH; `make SMALL_TORCH= …` takes that of your package index.

SHELL := /bin/bash
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$name -c '$(FITS)' 2>/dev/null && echo $$name && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt

SMALL_TORCH := https://download.pytorch.org/whl/cpu
HAS_TORCH := import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)

.PHONY: install demo docs notebooks test test-full run-test run-test-full lint bench data-is-named clean

install: .venv/installed-dev

demo: .venv/installed-bundled
	$(BIN)/isogloss demo --out isogloss-demo --overwrite

# The site, in build/site: from docs/, the docstrings, and the command line's own help.
docs: .venv/installed-docs
	$(BIN)/python tools/reference.py
	$(BIN)/zensical build --strict --clean
	$(BIN)/python tools/offline.py

# The notebooks with their output, which the site shows from then on.
notebooks: .venv/installed-dev
	$(BIN)/python tools/notebooks.py

# A worker for each core, each of one thread; a worker that is done takes tests from another.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal
# Tests start many processes, each of which would compile every module that it imports anew.
unexport PYTHONDONTWRITEBYTECODE

# The checks, mostly of one core, run beside the tests.
test test-full: .venv/installed-dev
	$(MAKE) --jobs=2 lint run-$@

run-test: .venv/installed-dev
	$(PYTEST) -m "not full"

run-test-full: .venv/installed-dev
	$(PYTEST)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src

bench: data-is-named .venv/installed-bench
	$(BIN)/python benchmarks/adaptation.py --data $(DATA) --dtype bfloat16
	$(BIN)/python benchmarks/encode_speed.py --data $(DATA)
	$(BIN)/python benchmarks/link_speed.py --data $(DATA)
	$(BIN)/python benchmarks/multilabel.py --data $(DATA)
	$(BIN)/python benchmarks/zero_shot.py --data $(DATA)

data-is-named:
	@test -n "$(DATA)" || { echo "the benchmarks read the evaluation data; name its folder: make bench DATA=DIR"; exit 2; }

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "isogloss needs a Python 3.11 to 3.14; name one: make PYTHON=/path/to/python"; exit 2; }
	$(PYTHON) -m venv .venv

# Without dependencies, as that index has few packages; what torch needs comes with isogloss.
.venv/installed-torch: .venv/bin/python
	@if test -n "$(SMALL_TORCH)" && test "$$(uname -s)" = Linux && ! command -v nvidia-smi >/dev/null \
		&& ! $(BIN)/python -c '$(HAS_TORCH)'; then \
		$(PIP) --retries 1 --timeout 20 --no-deps --index-url $(SMALL_TORCH) torch \
		|| echo "torch comes from your package index, as $(SMALL_TORCH) gave none; this may be a build with CUDA, of several gigabytes"; \
	fi
	@touch $@

.venv/installed-bundled: .venv/installed-torch pyproject.toml constraints.txt
	$(PIP) -e '.[bundled]'
	@touch $@

.venv/installed-dev: .venv/installed-torch pyproject.toml constraints.txt
	$(PIP) -e '.[dev]'
	@touch $@ .venv/installed-bundled

.venv/installed-docs: .venv/installed-torch pyproject.toml constraints.txt
	$(PIP) -e '.[docs]'
	@touch $@

.venv/installed-bench: .venv/installed-dev
	$(PIP) -e '.[dev,bench]'
	@touch $@

clean:
	rm -rf .venv isogloss-demo benchmarks/out build
