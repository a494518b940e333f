# Two commands do everything on a fresh machine with Python, make and a compiler:
#   make demo    bakes and runs two mechanisms; FMUs, pictures and CSV files go to build/
#   make test    runs all tests
# Some minutes more: make bushings compares a suspension on bushings with the full model and prints the errors.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
MECHANISMS := integration/mechanisms
KINETAB := $(BIN)/kinetab

.PHONY: demo test lint bushings clean

demo: .venv/installed
	@mkdir -p build
	@$(KINETAB) bake $(MECHANISMS)/crank_slider.toml -o build/CrankSlider.fmu
	@$(KINETAB) run build/CrankSlider.fmu --plot build/CrankSlider.png --csv build/CrankSlider.csv
	@$(KINETAB) bake $(MECHANISMS)/double_wishbone.toml -o build/DoubleWishbone.fmu
	@$(KINETAB) run build/DoubleWishbone.fmu --input $(MECHANISMS)/double_wishbone_inputs.csv \
		--plot build/DoubleWishbone.png --csv build/DoubleWishbone.csv
	@echo "Look at build/DoubleWishbone.png; next: $(KINETAB) verify build/DoubleWishbone.fmu"

test: .venv/installed-for-tests
	@$(BIN)/python -m pytest -q -n auto --dist worksteal

lint: .venv/installed-for-tests
	@$(BIN)/ruff check --output-format=concise .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bushings: .venv/installed
	@$(BIN)/python benchmarks/bushings.py

.venv/bin/python:
	@$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	@echo "Installing kinetab into .venv ..."
	@$(PIP) -e .
	@touch $@

.venv/installed-for-tests: .venv/installed
	@$(PIP) -e ".[test]"
	@touch $@

clean:
	rm -rf build .venv
