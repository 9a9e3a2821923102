# Everything here needs Python 3.11+ and make alone: .venv is made and filled when something is missing.
# ARGS goes to the command, as in: make run ARGS="--port 8010", make test ARGS="tests/relay -k cancel".

.DEFAULT_GOAL := help
BIN := .venv/bin
CHECK = $(BIN)/python scripts/check.py

.PHONY: help run test test-all test-real conformance check generate documents check-generated bench screenshots chaos format lint types layers clean product dev

help: ## show this table
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

product:
	@scripts/environment product

dev:
	@scripts/environment dev

run: product ## install what is missing, then start ccweb with three demo conversations
	@$(BIN)/ccweb serve --demo $(ARGS)

test: dev ## install what is missing, then run every test that needs Python alone and is quick
	@$(CHECK) test $(ARGS)

test-all: dev ## every test: browser, MCP conformance, Schemathesis, the real agents and the long chaos run too
	@$(CHECK) test-all $(ARGS)

test-real: dev ## the real Claude Code and Codex against a model on loopback
	@$(CHECK) test-real $(ARGS)

conformance: dev ## the official MCP suite against the product; output stays in out/conformance
	@$(CHECK) conformance

check: dev ## all gates, then every test: what CI runs
	@$(CHECK) check

generate: dev ## render generated/ and the README's marked blocks from contract/
	@$(BIN)/python -m codegen

documents: dev ## write what the documents say of the code: settings, commands, state tables
	@$(BIN)/python -m scripts.documents

check-generated: dev ## fail when a rendered file differs from its source
	@$(CHECK) gate generated

bench: dev ## measure speed and size side by side with bare prototypes
	@$(BIN)/python -m tests.bench $(ARGS)

screenshots: dev ## write the README's pictures from the demo story in a real browser
	@$(BIN)/python -m scripts.screenshots

chaos: dev ## the long run with random kills of real processes
	@$(BIN)/python -m tests.chaos $(ARGS)

format: dev ## write the code in the house form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: dev ## the form and the rules of the code
	@$(CHECK) gate format lint

types: dev ## the types
	@$(CHECK) gate types

layers: dev ## who may import whom
	@$(CHECK) gate layers

clean: ## remove caches and results; .venv stays
	@rm -rf .cache .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist out
	@find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
