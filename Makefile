# Everything from a fresh clone, inside this folder. Needs Python 3.10+ and make; `make test` also needs Node 20.19+.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test lint unit viewer browser-tests wheel-tests bench pictures screenshots clean

help:
	@echo "make demo   set up, train the tutorial network twice, write demo.html and open it"
	@echo "make test   set up, then every test: Python, TypeScript, the installed wheel, the browser"
	@echo "make bench  print the benchmarks"
	@echo "make clean  remove what the other commands made"

$(VENV)/user: pyproject.toml constraints.txt hatch_build.py $(wildcard comgra_export/native/*.[ch]) comgra_export/native/compiling.py
	@echo "Setting up Python in $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[recorder]'
	@touch $@

$(VENV)/developer: $(VENV)/user
	@echo "Adding the development tools ..."
	@$(BIN)/python -m pip install --quiet --editable '.[recorder,dev]'
	@touch $@

static/node_modules/.installed: static/package.json static/package-lock.json
	@echo "Installing the viewer's build tools ..."
	@cd static && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: $(VENV)/user
	@$(BIN)/comgra-export demo --output demo.html --recordings demo-recordings --force

test: lint viewer unit wheel-tests browser-tests
	@echo "All tests passed."

lint: $(VENV)/developer
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python .ci/check_prose.py README.md CONTRIBUTING.md docs/page.md docs/recording.md docs/sharing.md docs/tutorial.md docs/watching.md

viewer: static/node_modules/.installed
	cd static && npm run --silent check && npm test --silent
	@echo "Rebuilding the viewer; it must equal the committed one ..."
	@cd static && npm run --silent build
	@git diff --exit-code --stat -- static/dist static/vendor

unit: $(VENV)/developer
	$(BIN)/pytest tests --ignore tests/browser --ignore tests/e2e/test_wheel.py

wheel-tests: $(VENV)/developer
	$(BIN)/pytest tests/e2e/test_wheel.py

browser-tests: $(VENV)/developer static/node_modules/.installed
	@PYTHONPATH=tests $(BIN)/python -m support.browser.ensure_browser
	$(BIN)/pytest tests/browser

bench: $(VENV)/developer
	@$(BIN)/python -m benchmarks

pictures: $(VENV)/developer demo
	@PYTHONPATH=tests $(BIN)/python docs/pictures/take.py demo.html docs/pictures

# Every tab in every theme and width, to look at.
SCREENSHOTS ?= build/screenshots
screenshots: $(VENV)/developer demo
	@mkdir -p build
	@$(BIN)/comgra-export build demo-recordings --output build/demo.html --visualization examples/partial_sums.js --force
	@PYTHONPATH=tests $(BIN)/python docs/pictures/take.py build/demo.html $(SCREENSHOTS) --every-tab

clean:
	rm -rf $(VENV) static/node_modules build dist demo.html demo-recordings .mypy_cache .pytest_cache .ruff_cache .hypothesis
