# Jettison: `make demo` and `make test` do all their own set-up. `make help` lists the rest.

SHELL := /bin/bash
# rustup installs here; shells opened before do not have it in PATH.
export PATH := $(HOME)/.cargo/bin:$(PATH)
CARGO ?= cargo
JETTISON = $(CARGO) run --release --quiet --locked --bin jettison --
# The project's tasks, built with the release profile because benchmarks run inside this program.
XTASK = $(CARGO) run --profile dist --quiet --locked --package xtask --
# Executes the commands of the book's pages with the release build.
BOOK = JETTISON=target/release/jettison target/python/venv/bin/python scripts/book.py
# Additional arguments for `bench`, `demo` and `experiments`, such as ARGS="tcp-codel-A --json".
ARGS ?=
# Folders of papers in scenarios/. The reference scenarios are for benchmarks of the simulator; those in live/ need
# `jettison live`; presets/ and new/ are for `jettison run` and `jettison new`, gallery/ for the book's pictures.
PAPERS = $(filter-out reference live presets new gallery,$(notdir $(patsubst %/,%,$(wildcard scenarios/*/))))

.DEFAULT_GOAL := help
.PHONY: help setup live-deps media-deps build web python notebooks api wheel dist demo test test-live bench bench-live oracle players experiments docs gallery book fmt lint deny audit fuzz fuzz-check clean install

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install build dependencies, or list those that are missing
	@scripts/setup.sh

live-deps: ## Install the programs for scenarios/live/ (browser, web server, players), or list those that are missing
	@scripts/live-deps.sh

media-deps: ## Install the encoders of `jettison media encode` into target/media, or list those that are missing
	@scripts/media-deps.sh

build: setup ## Build target/release/jettison
	$(CARGO) build --release --locked

web: ## Check and test the page of live --watch (needs Node.js and npm)
	@scripts/web.sh

python: setup ## Build the Python package for development: an environment with it and its tools in target/python/venv
	@scripts/python.sh

notebooks: setup ## Execute the notebooks of python/notebooks/, and render them as pages of the book
	@scripts/python.sh notebooks

api: setup ## Write the book's reference of the Python package from its docstrings
	@scripts/python.sh api

wheel: setup ## Build a wheel of the Python package into target/wheels, and test it
	@scripts/python.sh wheel

dist: setup ## Build packages for users without Rust into target/packages, and try each in a clean environment
	@scripts/dist.sh

demo: build ## Show what four queues do to a viewer's video, and print the path of the report (seconds, after the build)
	@$(JETTISON) run demo --out out/demo $(ARGS)

test: setup ## Check format, lints, tests and docs, except tests with browsers, players or web servers
	@scripts/test.sh

test-live: setup ## Run tests with real programs; installs browsers, players and web servers if possible
	@scripts/test-live.sh

bench: setup ## Benchmark speed against requirements; exits 1 if one is missed
	@scripts/setup.sh bench
	$(XTASK) bench $(ARGS)

bench-live: setup ## Benchmark live runs against requirements, in their own namespaces; exits 1 if one is missed
	$(XTASK) bench live $(ARGS)

oracle: setup ## Measure TCP and queue disciplines in Linux kernels (virtual machines), or ARGS="compare"
	@scripts/oracle.sh $(ARGS)

players: setup ## Run dash.js and VLC on five networks (hours) and compare their models; ARGS="--repeats 1 --player VLC"
	@scripts/players.sh $(ARGS)

experiments: build ## Run all papers' experiments in full into out/PAPER/EXPERIMENT/, the long tests of counterfactuals and accounts, and the commands of the book
	$(CARGO) test --release --locked -p jettison-scenario --test all -- --ignored
	@set -e; for paper in $(PAPERS); do $(JETTISON) reproduce "$$paper" $(ARGS); done
	@scripts/python.sh >/dev/null && $(BOOK) --all

gallery: build ## Draw all pictures of the book again
	@scripts/python.sh >/dev/null && $(BOOK) --update docs/src/gallery.md docs/src/tutorials/*.md

book: build ## Write what the commands of README, quick start and tutorials print into these pages
	@scripts/python.sh >/dev/null && $(BOOK) --update

docs: setup ## Build the API documentation, and the book into docs/book (installs mdbook first: some minutes)
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --workspace --no-deps --locked
	@scripts/check-tree.sh
	@command -v mdbook >/dev/null || $(CARGO) install mdbook --locked
	mdbook build docs
	@echo "The book: $(CURDIR)/docs/book/index.html"

fmt: setup ## Format all code
	scripts/format.sh

lint: setup ## Check format and run clippy, with warnings as errors
	scripts/format.sh --check
	$(CARGO) clippy --workspace --all-targets --features jettison-python/testing --locked -- -D warnings

deny: setup ## Check dependencies' bans, licences and sources (installs cargo-deny first: some minutes)
	@command -v cargo-deny >/dev/null || $(CARGO) install cargo-deny --locked
	$(CARGO) deny check bans licenses sources

audit: ## Check dependencies against advisories (ADVISORY_DB=checkout); fails if one applies or a part cannot be checked
	@ADVISORY_DB="$(ADVISORY_DB)" scripts/audit.sh

fuzz: setup ## Fuzz each target (TARGETS="…") for SECONDS=60; fails if fuzz/artifacts/ has findings then
	@SECONDS_EACH="$(or $(SECONDS),60)" scripts/fuzz.sh $(TARGETS)

fuzz-check: setup ## Compile the fuzz targets, without running them
	@scripts/fuzz.sh check

install: setup ## Install the command for this user
	$(CARGO) install --path crates/cli --locked

clean: ## Remove build output, and results in out/
	$(CARGO) clean
	rm -rf out docs/book web/node_modules web/plots/node_modules
