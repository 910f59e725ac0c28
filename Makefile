# make          set up, then measure and render the study of config.yaml
# make test     set up, then run every check
# make setup    only the tools: .venv/bin/{sweetspot,snakemake,pytest}
# make figures  render the published studies and copy what the README shows
# make lock     lock every environment again, and hash its wheels for Nix

SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps
LOCKED := --require-hashes --only-binary=:all: --requirement
SLOW := workflow or server or simulation or browser or network

.PHONY: all setup test lint figures lock

all: setup
	$(BIN)/snakemake --cores 1 all
	@study=$$(sed -n 's/^name: *//p' config.yaml); head -n 1 results/$$study/table.md; echo results/$$study/report.html

setup: .venv/complete

.venv/complete: envs/workflow/requirements.lock envs/workflow-dev/requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo 'PYTHON=$(PYTHON): expected Python 3.11 to 3.13; set PYTHON to one' >&2; exit 1; }
	@[ ! -L .venv ] || { echo '.venv: a link, expected a folder, which is emptied now; remove the link' >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(PIP) $(LOCKED) envs/workflow/requirements.lock
	$(PIP) $(LOCKED) envs/workflow-dev/requirements.lock
	$(PIP) --no-build-isolation --editable .
	touch $@

test: setup lint
	$(BIN)/snakemake --cores 1 results/quickstart/models.json
	$(BIN)/pytest -m 'not (engine or $(SLOW))' --numprocesses 2
	$(BIN)/pytest -m '$(SLOW)' --numprocesses 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/pytest -m engine

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy

figures: setup
	$(BIN)/snakemake --cores 1 published
	mkdir -p docs/figures
	cp results/rendered/quickstart/figures/speed.svg docs/figures/quickstart-speed.svg
	for name in h200-8b/speed h200-8b/cycle h200-8b-falling/speed \
	  h200x2-nccl/cycle h200x2-nccl/allreduce h200x2-nccl/nccl; do \
	  cp results/rendered/$${name%/*}/figures/$${name#*/}.svg docs/figures/$${name%/*}-$${name#*/}.svg; done
	$(BIN)/python -m sweetspot.render.layers docs/figures/layers.json docs/figures/layers.svg

lock: setup
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/sweetspot lock
