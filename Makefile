# Everything from a fresh clone, inside this folder. Needs Python 3.10+ and make; `make test` also needs Node 20.19+.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Compiled modules halve the time in which a process imports torch. Whoever wants none beside the sources has them in build.
ifneq ($(PYTHONDONTWRITEBYTECODE),)
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/bytecode
export PYTHONDONTWRITEBYTECODE :=
endif

.PHONY: help demo test test-full quick coverage environment lint viewer installed browsers python-tests browser-tests hosts-tests gpu-tests lint-quick unit-quick viewer-quick bench fuzz evaluate evaluation-page pictures screenshots clean

help:
	@echo "make demo   in a few minutes: set up, train the tutorial network twice, write demo.html and open it"
	@echo "make quick  while working, in a minute or two: ruff, the fast unit tests, the viewer's tests"
	@echo "make test   set up, then every test: Python against the installed wheel, TypeScript, the browser"
	@echo "make test-full  the same with more random programs, more kills and more examples"
	@echo "make hosts-tests  install Lightning, transformers, Keras, W&B and others in build/hosts, and test with them"
	@echo "make gpu-tests  tests and times on a CUDA device, if there is one"
	@echo "make coverage   which lines the tests run, by package of Python and by folder of the viewer"
	@echo "make bench  print the benchmarks"
	@echo "make evaluate   train programs with and without bugs, print how well the findings fit"
	@echo "make evaluation-page   train programs that no rule was tried on, and write all tables of docs/findings-evaluation.md (hours)"
	@echo "make docs   build the documentation site into build/site"
	@echo "make wheel  build the sdist, the wheel for this machine and the pure wheel into dist"
	@echo "make clean  remove what the other commands made"

# Most modules are never imported, so none is compiled before it is.
SOURCES_OF_ENVIRONMENT := pyproject.toml constraints.txt hatch_build.py $(wildcard comgra_export/native/*.[ch]) comgra_export/native/compiling.py
$(VENV)/user: $(SOURCES_OF_ENVIRONMENT)
	@echo "Setting up Python in $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --no-compile --editable '.[recorder]'
	@touch $@

$(VENV)/developer: $(SOURCES_OF_ENVIRONMENT)
	@echo "Setting up Python and the development tools in $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --no-compile --editable '.[recorder,dev]'
	@touch $(VENV)/user $@

static/node_modules/.installed: static/package.json static/package-lock.json
	@echo "Installing the viewer's build tools ..."
	@cd static && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: $(VENV)/user
	@$(BIN)/comgra-export demo --output demo.html --recordings demo-recordings --force

# What pytest runs the tests with: a worker for each processor. The two suites run at the same time, since tests wait for browsers, files
# and other processes.
WORKERS := $(shell $(PYTHON) -c "import os; print(min(8, os.cpu_count() or 1))")
PYTEST := -n $(WORKERS) --dist loadfile
BREADTH ?= ci
# The package as its users have it: a wheel, installed beside the dependencies, and nothing of the sources.
INSTALLED := build/installed
SOURCES := $(shell git ls-files comgra_export templates examples static/dist static/vendor 2>/dev/null)

# Each part begins when those that it needs have ended. The viewer needs no Python, so its tests run while Python is set up. The wheel
# holds the viewer, which is built again.
test:
	@$(PYTHON) tests/run_parts.py environment viewer lint:environment browsers:environment installed:environment+viewer \
		python-tests:installed browser-tests:installed+browsers

test-full:
	@$(MAKE) --no-print-directory test BREADTH=full
	@$(MAKE) --no-print-directory hosts-tests

quick: $(VENV)/developer static/node_modules/.installed
	@$(BIN)/python tests/run_parts.py lint-quick viewer-quick unit-quick

environment: $(VENV)/developer

lint: $(VENV)/developer lint-workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python .ci/check_prose.py

viewer: static/node_modules/.installed
	cd static && npm run --silent check && npm test --silent
	@echo "Rebuilding the viewer; it must equal the committed one ..."
	@cd static && npm run --silent build
	@git diff --exit-code --stat -- static/dist static/vendor

installed: $(INSTALLED)/.made
$(INSTALLED)/.made: $(VENV)/developer $(SOURCES)
	@echo "Building the wheel, and installing it in $(INSTALLED) ..."
	@rm -rf $(INSTALLED) build/wheel && mkdir -p build
	@$(BIN)/python -m build --wheel --outdir build/wheel . >build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	@$(BIN)/python -m venv --without-pip $(INSTALLED)
	@$(BIN)/python -m pip --python $(INSTALLED)/bin/python install --quiet --no-deps build/wheel/*.whl
	@# A line of this file is not a folder whose own .pth files count, so what is editable there is not seen here.
	@$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" >"$$($(INSTALLED)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/dependencies.pth"
	@echo "Compiling the modules that tests import: each worker would do that for itself ..."
	@$(INSTALLED)/bin/python $(BIN)/pytest --installed --collect-only -qq tests >build/collected.log || { tail -n 40 build/collected.log; exit 1; }
	@touch $@

# Slow files first, so that no worker is left alone with one at the end.
python-tests: installed
	$(INSTALLED)/bin/python $(BIN)/pytest --installed --hypothesis-profile $(BREADTH) $(PYTEST) --no-loadscope-reorder \
		tests/e2e tests/behaviour tests/hosts tests/unit $(wildcard tests/test_*.py)

browsers: $(VENV)/developer
	@PYTHONPATH=tests $(BIN)/python -m support.browser.ensure_browser

browser-tests: browsers installed static/node_modules/.installed
	$(INSTALLED)/bin/python $(BIN)/pytest --installed $(PYTEST) --reruns 1 -rR tests/browser

# Every host in an environment of its own: together they bring a hundred packages. A test of a host that cannot be installed is skipped.
HOSTS := build/hosts
HOST_EXTRAS := lightning transformers accelerate keras skorch stable-baselines3 wandb mlflow trackio tensorboard reading remote parallel
# What only the tests of hosts need, as the extra `hosts` names it. Versions are those of the constraints.
HOST_PACKAGES := distributed ray moto[server] s3fs gcsfs huggingface_hub pytorch-lightning torch_geometric
$(HOSTS)/.made: pyproject.toml constraints.txt
	@echo "Installing the hosts in $(HOSTS) ..."
	@mkdir -p build && test -x $(HOSTS)/bin/python || $(PYTHON) -m venv $(HOSTS)
	@$(HOSTS)/bin/python -m pip install --quiet --editable '.[recorder,dev]'
	@$(HOSTS)/bin/python -m pip install --quiet --editable '.[hosts]' || { \
		for extra in $(HOST_EXTRAS); do \
			$(HOSTS)/bin/python -m pip install --quiet --editable ".[$$extra]" || echo "$$extra cannot be installed"; \
		done; \
		for package in $(HOST_PACKAGES); do \
			$(HOSTS)/bin/python -m pip install --quiet "$$package" || echo "$$package cannot be installed"; \
		done; \
	}
	@touch $@

hosts-tests: $(HOSTS)/.made
	$(HOSTS)/bin/python -m pytest -n $(WORKERS) --dist loadfile tests/hosts tests/unit/reading/test_table.py

# On a machine with a CUDA device, and a torch for it. Elsewhere, all of it is skipped.
gpu-tests: $(VENV)/developer
	$(BIN)/pytest tests/gpu
	@$(BIN)/python -m benchmarks.gpu
	@COMGRA_EXPORT_CUDA_KERNELS=1 $(BIN)/python -m benchmarks.gpu

lint-quick:
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

unit-quick:
	@# These wait for nothing, so a third worker would only import torch once more.
	@$(BIN)/pytest --hypothesis-profile quick -n auto --maxprocesses 8 --dist loadfile -q -m "not slow" tests/unit $(wildcard tests/test_*.py)

viewer-quick:
	@cd static && npm test --silent

# Of the sources, as they are edited. The viewer is measured in its own tests and in those of the browser together.
coverage: $(VENV)/developer static/node_modules/.installed
	@rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/pytest $(PYTEST) --no-loadscope-reorder --cov --cov-report= tests/e2e tests/behaviour tests/unit
	@$(BIN)/coverage json --quiet -o build/coverage/lines.json
	@$(MAKE) --no-print-directory browsers
	$(BIN)/pytest $(PYTEST) --viewer-coverage build/coverage/viewer tests/browser
	@cd static && npm run --silent coverage -- --coverage.reporter=json
	@cd static && node coverage.mjs ../build/coverage/viewer.json ../build/coverage/viewer
	@$(BIN)/python tests/coverage_table.py build/coverage/lines.json comgra_export; code=$$?; \
		$(BIN)/python tests/coverage_table.py build/coverage/viewer.json static && exit $$code

bench: $(VENV)/developer
	@$(BIN)/python -m benchmarks

# Damages recordings and bundles at random. NUMBER says how many of each, SEED which.
fuzz: $(VENV)/developer
	@PYTHONPATH=tests $(BIN)/python -m support.storage.fuzzing --number $(or $(NUMBER),2000) --seed $(or $(SEED),0)

evaluate: $(VENV)/developer
	@OMP_NUM_THREADS=1 $(BIN)/python -m evaluation

# Recordings are kept, so that it can be interrupted: what was trained is only judged again. Delete build/evaluation after a change of the recorder.
EVALUATION = OMP_NUM_THREADS=1 $(BIN)/python -m evaluation
PAGE_OF_EVALUATION = docs/findings-evaluation.md
evaluation-page: $(VENV)/developer
	@$(EVALUATION) --seeds $(or $(SEEDS),1) --keep build/evaluation --held-out --write $(PAGE_OF_EVALUATION)
	@$(EVALUATION).triggers --write $(PAGE_OF_EVALUATION)
	@$(EVALUATION).associations --write $(PAGE_OF_EVALUATION)

pictures: $(VENV)/developer demo
	@PYTHONPATH=tests $(BIN)/python docs/pictures/take.py demo.html docs/pictures

# Every tab in every theme and width, to look at.
SCREENSHOTS ?= build/screenshots
screenshots: $(VENV)/developer demo
	@mkdir -p build
	@$(BIN)/comgra-export build demo-recordings --output build/demo.html --visualization examples/partial_sums.js --force
	@mkdir -p build/modules build/flows
	@cd build/modules && $(CURDIR)/$(BIN)/python $(CURDIR)/examples/watch_transformer.py && mv report.html modules.html
	@cd build/flows && $(CURDIR)/$(BIN)/python $(CURDIR)/examples/gradient_flow.py && mv report.html flows.html
	@for page in build/demo.html build/modules/modules.html build/flows/flows.html; do \
		PYTHONPATH=tests $(BIN)/python docs/pictures/take.py $$page $(SCREENSHOTS) --every-tab || exit 1; \
	done

.PHONY: docs wheel lint-workflows

$(VENV)/documentation: pyproject.toml constraints.txt
	@echo "Adding what builds the documentation site ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[docs]'
	@touch $@

# Warnings are errors, and nothing is downloaded. `make demo` before it puts the demo into the site.
docs: $(VENV)/documentation
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "The site is in build/site. Open build/site/index.html."

wheel: $(VENV)/developer
	$(BIN)/python -m build --outdir dist
	COMGRA_EXPORT_KERNELS=never $(BIN)/python -m build --wheel --outdir dist
	@# auditwheel is optional. It names the oldest Linux that can load the kernels.
	@if command -v auditwheel >/dev/null; then \
		for wheel in dist/*-linux_*.whl; do test ! -e "$$wheel" || auditwheel show "$$wheel" || exit 1; done; \
	else echo "auditwheel is not installed: skipped"; fi

# actionlint and zizmor are optional here; the workflow for tests installs both.
lint-workflows:
	@if command -v actionlint >/dev/null; then actionlint; else echo "actionlint is not installed: skipped"; fi
	@if command -v zizmor >/dev/null; then zizmor --offline --quiet .github; else echo "zizmor is not installed: skipped"; fi

clean:
	rm -rf $(VENV) static/node_modules build dist demo.html demo-recordings .mypy_cache .pytest_cache .ruff_cache .hypothesis
