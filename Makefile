# make drive   set everything up and drive
# make test    set everything up and pass the tests
# make fast    set everything up and pass the quick tests of every room, in less than a minute once the physics is compiled
# make check   lint, types, layers (for developers)
# make cars    measure all cars anew for docs/vehicles.md, about a quarter of an hour
# make clean   remove the environment made here

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
endif
# the environment is made without pip and filled by the system's pip, which works where ensurepip is missing (Debian)
PIP := $(PYTHON) -m pip --python $(BIN)/python --disable-pip-version-check install --quiet

.PHONY: drive test fast check cars system clean

drive: system $(VENV)/.drive
	@$(BIN)/python -m simulator drive $(ARGS)

test: system $(VENV)/.test
	@$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadgroup $(ARGS)

fast: $(VENV)/.test
	@$(BIN)/python -m pytest -q -m "fast and not slow" -n auto --maxprocesses 4 --dist loadgroup $(ARGS)

check: $(VENV)/.check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# cars of their own, and after them those that build on one of them
CARS := hmmwv hmmwv_chrono sedan light_truck sedan_chrono sedan_e90
VARIANTS := $(filter-out $(CARS),$(sort $(notdir $(basename $(wildcard configs/vehicles/*.yaml)))))
cars: $(VENV)/.drive
	@$(BIN)/python -m simulator datasheet $(CARS) --quick --variants $(VARIANTS) --out runs/cars
	@cp runs/cars/vehicles.md docs/vehicles.md

$(VENV)/.drive: pyproject.toml | $(BIN)/python
	@echo "installing Jounce and its libraries into $(VENV)"
	@$(PIP) -e .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	@echo "installing Jounce, its libraries and the test tools into $(VENV)"
	@$(PIP) -e ".[test]"
	@touch $@ $(VENV)/.drive

$(VENV)/.check: pyproject.toml | $(BIN)/python
	@$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.test $(VENV)/.drive

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Jounce needs Python 3.11 or newer; try: make PYTHON=python3.12 drive"; exit 2; }
	@$(PYTHON) -m venv --without-pip $(VENV)

# OpenGL off the screen and on it (Mesa renders in software where there is no graphics driver)
system:
	@if [ "$$(uname -s)" = Linux ] && ! { ldconfig -p 2>/dev/null | grep -q libEGL.so.1 && ldconfig -p | grep -q libGL.so.1 && ldconfig -p | grep -q libXrender.so.1; }; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing libegl1, libgl1, libgl1-mesa-dri and libxrender1 (OpenGL)"; \
	    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libegl1 libgl1 libgl1-mesa-dri libxrender1; } >/dev/null 2>&1 \
	      || echo "could not install them: driving without pictures, the view tests are skipped"; \
	  else \
	    echo "no OpenGL found: install the packages libegl1 libgl1 libgl1-mesa-dri libxrender1 (or your distribution's) for pictures; going on without"; \
	  fi; \
	fi

clean:
	rm -rf $(VENV)
