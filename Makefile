# make drive   install Jounce and drive
# make test    install Jounce and run the tests, about 25 minutes on two cores
# make test-all  all tests, also those that repeat others on more files and vehicles, and those of the studies: before a release
# make test-research  the tests of the studies in research/
# make fast    run the quick tests of each package, in less than a minute once the kernels are compiled
# make check   lint, types, layers, spelling, links and names of the pages, size of the packages (for developers)
# make docs    build the documentation site in build/site (open build/site/index.html), about one minute
# make gallery  make the pictures and clips of docs/gallery, about 20 minutes
# make cars    measure all vehicles for docs/vehicles.md, about 15 minutes
# make wheel   build a wheel of the last commit in dist/, with compiled kernels (Linux x86-64) for each installed CPython
#              from 3.11 to 3.13, about 5 minutes for each
# make clean   remove the virtual environment

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
# the environment is created without pip; the pip of the system installs into it, which works without ensurepip (Debian)
PIP := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check install --quiet

.PHONY: drive test test-all test-research fast check docs gallery cars wheel system clean

drive: system $(VENV)/.drive
	@$(BIN)/python -m simulator drive $(ARGS)

# tests/conftest.py groups and sorts the files
PYTEST := $(BIN)/python -m pytest -q
TESTS := $(PYTEST) -n auto --maxprocesses 4 --dist loadgroup --no-loadscope-reorder --ignore tests/text
# a failed test by the clock runs once more, alone
test: system $(VENV)/.test
	@$(TESTS) $(ARGS) || $(BIN)/python -m tests.rerun_clock

test-all: system $(VENV)/.test
	@$(TESTS) -m "" -o testpaths="tests research/tests" $(ARGS)

test-research: $(VENV)/.test
	@$(TESTS) -o testpaths=research/tests $(ARGS)

fast: $(VENV)/.test
	@$(TESTS) -m "fast and not slow and not full" $(ARGS)

SPELLED := jounce.py simulator vehicles terrain washout research tests examples docs configs README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md
check: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/codespell $(SPELLED)
	@$(PYTEST) -n 0 tests/text
	@$(BIN)/python -m checks.size

docs: $(VENV)/.docs
	@$(BIN)/python -m sphinx -W --keep-going -q -c docs -d build/doctrees . build/site $(ARGS)
	@$(BIN)/python -m checks.site build/site

gallery: system $(VENV)/.drive
	@$(BIN)/python docs/gallery.py $(ARGS)

# vehicles with files of their own, then the variants that build on them
CARS := hmmwv hmmwv_chrono sedan sedan_paper light_truck sedan_chrono sedan_e90
VARIANTS := $(filter-out $(CARS),$(sort $(notdir $(basename $(wildcard configs/vehicles/*.yaml)))))
cars: $(VENV)/.drive
	@$(BIN)/python -m simulator datasheet $(CARS) --quick --variants $(VARIANTS) --out runs/cars
	@cp runs/cars/vehicles.md docs/vehicles.md

TREE := build/wheel
WHEEL_PYTHONS := 3.11 3.12 3.13
wheel: $(VENV)/.drive
	@rm -rf $(TREE) && mkdir -p $(TREE) && git archive HEAD | tar x -C $(TREE)
	@for version in $(WHEEL_PYTHONS); do \
	  python$$version -c "" 2>/dev/null || { echo "no python$$version: the wheel has no kernels for it"; continue; }; \
	  environment=$(abspath build)/python$$version; \
	  python$$version -m venv --without-pip $$environment \
	    && $(PYTHON) -m pip --python $$environment/bin/python --disable-pip-version-check install --quiet -e $(TREE) \
	    && (cd $(TREE) && PYTHONPATH=. $$environment/bin/python -m research.prebuild_kernels) || exit 1; \
	done
	@$(PYTHON) -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist $(TREE)
	@ls dist/*.whl

$(VENV)/.drive: pyproject.toml jounce.py | $(BIN)/python
	@echo "installing Jounce and its libraries into $(VENV)"
	@$(PIP) -e .
	@touch $@

$(VENV)/.test: pyproject.toml jounce.py | $(BIN)/python
	@echo "installing Jounce, its libraries and the test tools into $(VENV)"
	@$(PIP) -e ".[test]"
	@touch $@ $(VENV)/.drive

$(VENV)/.check: pyproject.toml jounce.py | $(BIN)/python
	@$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.test $(VENV)/.drive

$(VENV)/.docs: pyproject.toml jounce.py | $(BIN)/python
	@$(PIP) -e ".[docs]"
	@touch $@ $(VENV)/.drive

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Jounce needs Python 3.11 or newer; try: make PYTHON=python3.12 drive"; exit 2; }
	@$(PYTHON) -m venv --without-pip $(VENV)

# OpenGL, off-screen and on-screen (Mesa renders in software if there is no graphics driver)
system:
	@if [ "$$(uname -s)" = Linux ] && ! { ldconfig -p 2>/dev/null | grep -q libEGL.so.1 && ldconfig -p | grep -q libGL.so.1 && ldconfig -p | grep -q libXrender.so.1; }; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing libegl1, libgl1, libgl1-mesa-dri and libxrender1 (OpenGL)"; \
	    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libegl1 libgl1 libgl1-mesa-dri libxrender1; } >/dev/null 2>&1 \
	      || echo "could not install them: no images are rendered and the view tests are skipped"; \
	  else \
	    echo "no OpenGL found: install the packages libegl1 libgl1 libgl1-mesa-dri libxrender1 (or those of your distribution) to render images; continuing without"; \
	  fi; \
	fi

clean:
	rm -rf $(VENV)
