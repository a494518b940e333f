# Two commands do everything on a fresh machine with Python, make and a compiler:
#   make demo    makes, measures, bakes and runs a suspension; mechanism file, FMU, pages and pictures go to build/
#   make test    runs all tests but the long proofs
# Some minutes more:
#   make test-slow  runs the long proofs
#   make bushings  compares a suspension on bushings with the full model and prints the errors
#   make expansion prints toe and camber errors of it under large loads, by Taylor order and expansion point
#   make loads     prints errors of the loads of suspensions over a bump, and what they cost in tables
#   make vehicle   bakes and drives a quarter car and a full car of coupled FMUs; pictures go to build/
#   make bench     times kernel, FMUs and other engines in one run: build/bench.json, build/bench.md; AGAINST=COMMIT lets
#                  the kernel take turns with that of a commit; PARTS=steps,fmus does some parts only
#   make speed     the same, and its tables go into docs/speed.md and README.md
#   make sequences calls both FMUs in SEQUENCES random orders, legal and illegal ones
#   make platforms runs native FMUs for Windows and 64-bit ARM, under wine and qemu; says what is missing for it
#   make faults    kills bakes FAULTS times, damages the cache, fills disks; nothing is lost, the next bake is right
#   make docs      the pages as a site that opens from disk, build/site/index.html; fails on a dead link
# Of the C kernel, each with a C compiler and on Linux:
#   make sanitize  runs all tests under AddressSanitizer and UBSan, or some: TESTS="-k kernel"
#   make fuzz      changes model files at random for FUZZ_SECONDS, under the same; finds more if clang is there
#   make soak      takes SOAK_STEPS steps of native FMUs, in one instance and in a thousand; memory must not grow

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
MECHANISMS := integration/mechanisms
KINETAB := $(BIN)/kinetab

FUZZ_SECONDS ?= 600
SOAK_STEPS ?= 1e7
SEQUENCES ?= 10000
FAULTS ?= 200
TESTS ?=

SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
# Where memory was taken, two calls deep: more takes most of the time.  A master of the tests frees its own with another size.
SANITIZED := detect_leaks=0:malloc_context_size=2:quarantine_size_mb=32:new_delete_type_mismatch=0
KERNEL := fmu_src/kernel
READER := $(filter-out $(KERNEL)/fmi2.c $(KERNEL)/location.c,$(wildcard $(KERNEL)/*.c))
CLANG := $(firstword $(foreach name,clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14,$(shell command -v $(name))))
MOST_MEMORY := -rss_limit_mb=3000 -malloc_limit_mb=1500

.PHONY: demo test test-slow lint bushings expansion loads vehicle bench speed sequences faults platforms docs sanitize fuzz soak clean

demo: .venv/installed build/corner.toml
	@$(KINETAB) kc build/corner.toml --cases bump,roll,steering --plot build/corner_kc.png
	@$(KINETAB) bake build/corner.toml -o build/Corner.fmu
	@$(KINETAB) run build/Corner.fmu --input $(MECHANISMS)/corner_inputs.csv --plot build/corner.png --csv build/corner.csv
	@$(KINETAB) report build/Corner.fmu --no-verify -o build/corner.html
	@echo "Look at build/corner.html and build/corner.png; change points in build/corner.toml and make demo again;"
	@echo "next: $(KINETAB) verify build/Corner.fmu"

# Made once, and then the user's own.
build/corner.toml: | .venv/installed
	@mkdir -p build
	@$(KINETAB) new double-wishbone --name Corner -o $@

test: .venv/installed-for-tests
	@$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow"

test-slow: .venv/installed-for-tests
	@$(BIN)/python -m pytest -q -n auto --dist worksteal -m slow

lint: .venv/installed-for-tests
	@$(BIN)/ruff check --output-format=concise .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bushings: .venv/installed
	@$(BIN)/python benchmarks/bushings.py

expansion: .venv/installed
	@$(BIN)/python benchmarks/expansion.py

loads: .venv/installed
	@$(BIN)/python benchmarks/loads.py

vehicle: .venv/installed-for-tests
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python integration/vehicle.py

bench: .venv/installed-for-bench
	@$(BIN)/python benchmarks/bench.py $(if $(AGAINST),--against $(AGAINST)) $(if $(PARTS),--parts $(PARTS))

speed: bench
	@$(BIN)/python benchmarks/pages.py

sequences: .venv/installed-for-tests
	@KINETAB_SEQUENCES=$(SEQUENCES) $(BIN)/python -m pytest -q tests/fmu/test_fmi_sequences.py

platforms: .venv/installed-for-platforms
	@$(BIN)/python tests/helpers_platforms.py
	@$(BIN)/python -m pytest -q -s tests/fmu/test_platforms.py

faults: .venv/installed-for-tests
	@KINETAB_FAULTS=$(FAULTS) $(BIN)/python -m pytest -q tests/whole/test_faults.py tests/test_entry.py

docs: .venv/installed-for-docs
	@$(BIN)/python docs/stage.py build/site-pages
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Look at build/site/index.html"

# Compilers are slow under a preloaded AddressSanitizer.
sanitize: export KINETAB_CFLAGS := -O1 -g $(SANITIZERS)
sanitize: export CC := env -u LD_PRELOAD gcc
sanitize: .venv/installed-for-tests
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=$(SANITIZED) \
		$(BIN)/python -m pytest -q -n auto --dist worksteal $(TESTS)
	@$(BIN)/python tests/host/leaks.py

# With clang (and its libclang-rt) led by coverage, otherwise by chance alone.
fuzz: .venv/installed-for-tests
	@mkdir -p build/fuzz/corpus
	@$(BIN)/python tests/fuzz/seeds.py build/fuzz/seeds
ifneq ($(CLANG),)
	@echo "Fuzzing with $(CLANG) and libFuzzer for $(FUZZ_SECONDS) s ..."
	@$(CLANG) -std=c99 -g -O1 -w -DLIBFUZZER -fsanitize=fuzzer $(SANITIZERS) -I$(KERNEL) tests/fuzz/fuzz.c $(READER) -lm \
		-o build/fuzz/fuzz || { echo "clang has no libFuzzer: install libclang-rt-dev, or 'make fuzz CLANG='"; exit 1; }
	@cd build/fuzz && ./fuzz -max_total_time=$(FUZZ_SECONDS) -timeout=20 $(MOST_MEMORY) -max_len=200000 -verbosity=0 \
		-print_final_stats=1 corpus seeds
else
	@echo "Fuzzing with gcc by random changes for $(FUZZ_SECONDS) s; clang and libclang-rt-dev would find more ..."
	@gcc -std=c99 -g -O1 $(SANITIZERS) -I$(KERNEL) tests/fuzz/fuzz.c $(READER) -lm -o build/fuzz/fuzz
	@cd build/fuzz && ./fuzz $(FUZZ_SECONDS) seeds/*.kinetab
endif

soak: .venv/installed-for-tests
	@$(BIN)/python tests/host/soak.py $(SOAK_STEPS)

.venv/bin/python:
	@$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	@echo "Installing kinetab into .venv ..."
	@$(PIP) -e .
	@touch $@

.venv/installed-for-tests: .venv/installed
	@$(PIP) -e ".[test]"
	@touch $@

.venv/installed-for-platforms: .venv/installed
	@$(PIP) -e ".[test,native]"
	@touch $@

.venv/installed-for-docs: .venv/installed
	@$(PIP) -e ".[docs]"
	@touch $@

.venv/installed-for-bench: .venv/installed
	@$(PIP) -e ".[bench,native]"
	@touch $@

clean:
	rm -rf build .venv
