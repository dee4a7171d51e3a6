# What people run. `make` alone lists the targets. Everything uses the one optimised profile.

CARGO  ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN    := $(abspath $(TARGET))/release/sibp
VENV   := .venv
VENV_OK := $(VENV)/.requirements-installed
STUDY  := $(CARGO) run --release --package sibp-experiments --bin

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo test verify bench bench-accuracy bench-search lint docs results tools test-rust test-docs test-python

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: tools ## build the command (target/release/sibp)
	$(CARGO) build --release --bin sibp

demo: build ## learn codes for the shipped digits, search them, write report.html
	$(BIN) demo

test: lint docs test-rust test-docs test-python ## everything a change must pass

# Sampler checks with a fresh seed where their level allows it, then what is too long for `make test`.
verify: build ## the slow tier: long sampler checks, 200 kills, fuzzing, every byte changed
	$(BIN) verify --fresh
	SIBP_KILLS=200 $(CARGO) test --release --workspace --test cli interrupt::kills -- --show-output
	SIBP_FUZZ_SECONDS=10 $(CARGO) test --release --workspace --test library fuzz:: -- --show-output
	$(CARGO) test --release --workspace --test library -- --ignored --show-output

bench: tools ## figures of the linear Gaussian models: hidden images found, digits, cost of the dd-IBP
	$(STUDY) images6x6
	$(STUDY) digits_gaussian
	$(STUDY) ddibp_speed

bench-accuracy: tools ## accuracy of probit codes beside other methods, on the same splits
	$(STUDY) accuracy

bench-search: tools ## speed of search beside faiss (installs faiss-cpu into an environment of its own)
	$(PYTHON) benches/search/bench.py

results: build ## docs/results.md by `sibp reproduce` on the digits; AWA=DIR adds Animals with Attributes
	$(PYTHON) scripts/results_page.py --bin $(BIN) $(if $(AWA),--data $(AWA))

lint: tools ## format and lints; any warning is an error
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

docs: tools ## the library's reference; a broken link is an error
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps --workspace --lib

# Passing tests show their output, so that "skipped: ..." lines are seen and counted. The studies have no tests.
test-rust: tools $(VENV_OK) ## the Rust tests
	SIBP_FAISS_PYTHON=$(abspath $(VENV))/bin/python $(CARGO) test --release --workspace --exclude sibp-experiments --no-fail-fast -- --show-output

test-docs: build ## run the shell blocks of README and docs
	$(PYTHON) scripts/check_readme.py --bin $(BIN) README.md $(wildcard docs/*.md)

test-python: build $(VENV_OK) ## open our files with numpy and safetensors; check the scripts
	SIBP_BIN=$(BIN) $(VENV)/bin/python -m unittest discover -v -s tests/interop
	$(VENV)/bin/python -m unittest discover -v -s tests/scripts

tools:
	@scripts/ensure_tools.sh

$(VENV_OK): requirements-test.txt | tools
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement requirements-test.txt
	touch $@
