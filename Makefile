# Set-up happens by itself: every target makes .venv from the lock files first, once.

VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/.run-ready
DEV_READY := $(VENV)/.dev-ready
SITE_READY := $(VENV)-site/.site-ready
# The first Python on PATH that is new enough; override with make PYTHON=/path/to/python.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
# Another shell than /bin/sh runs every command. Without one, make runs simple commands itself, and the make of macOS looks for
# them on the PATH that it was started with.
SHELL := bash
# The CDK CLI finds its Node.js on PATH: the one of this environment must come first.
export PATH := $(abspath $(BIN)):$(PATH)
export CDK_DISABLE_CLI_TELEMETRY := true
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Without compiled files every start of a command compiles the engine again: a fifth of a second.
unexport PYTHONDONTWRITEBYTECODE
# The configuration directory; override with make CONFIG=elsewhere.
CONFIG := config
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header
# What the development lock has is not repeated in a lock that goes on top of it.
NOT_OF_DEV = $$(sed -n 's/^\([a-z][a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements-dev.lock)

.PHONY: help synth plan review deploy-local destroy-local local-coverage test test-integration training-toolkit check format bench schema docs \
	site resource-schemas pictures snapshots lock clean
.PHONY: test-portable coverage release-tools sbom audit wheels release-notes
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-34s %s\n", $$1, $$2}'

synth: $(RUN_READY) ## Write the templates and the plan of ENV to cdk.out/ and show the plan
	@test -n "$(ENV)" || { echo "say which environment: make synth ENV=dev" >&2; exit 2; }
	@exec python -m sizewell.cli.synth_output --env "$(ENV)" --config "$(CONFIG)"

plan: $(RUN_READY) ## Show the plan of ENV without synthesizing
	@sizewell plan --env $(ENV) --config "$(CONFIG)"

review: $(RUN_READY) ## Show what the files do to BASE, a git ref or a saved output; the default branch without one
	@sizewell review $(if $(BASE),--base "$(BASE)") --config "$(CONFIG)"

deploy-local: $(DEV_READY) ## Deploy ENV with the real cdk to an emulated AWS on this machine
	@test -n "$(ENV)" || { echo "say which environment: make deploy-local ENV=dev" >&2; exit 2; }
	@sizewell deploy-local --env $(ENV) --config "$(CONFIG)"

destroy-local: $(DEV_READY) ## Take down what deploy-local made, and the emulator
	@sizewell destroy-local

local-coverage: $(DEV_READY) ## List what is emulated and what is refused
	@python -m sizewell_localcloud coverage

test: $(DEV_READY) ## Run all tests that need no emulated AWS
	@pytest --ignore=tests/integration -n 2 --dist loadfile --no-loadscope-reorder

test-portable: $(DEV_READY) ## Run the tests that need neither Linux nor the CDK
	@pytest -m "not cdk" --ignore=tests/integration --ignore=tests/targets/contract -n 2 --dist loadfile --no-loadscope-reorder

test-integration: $(DEV_READY) ## Deploy to the emulated AWS and test what is deployed
	@pytest -q tests/integration -n 3 --no-loadscope-reorder

coverage: $(DEV_READY) ## Measure which lines of selection, planning and review their tests run
	@coverage run -m pytest -q -m "not cdk" tests/instance_selection tests/serving_modes tests/planning tests/review
	@coverage report

training-toolkit: $(DEV_READY) ## Add SageMaker's training toolkit for one more of these tests; compiles C
	@python -m pip install --quiet --no-deps --require-hashes --requirement requirements-toolkit.lock

release-tools: $(DEV_READY) ## Add what make sbom and make audit need
	@python -m pip install --quiet --no-deps --require-hashes --requirement requirements-release.lock

sbom: release-tools ## Write the software bill of materials from requirements.lock
	@python -m tools.sbom

audit: release-tools ## Ask for known vulnerabilities of every locked package; needs a network
	@python -m tools.audit

wheels: $(RUN_READY) ## Build the wheels of both projects in dist/: the same commit makes the same bytes
	@rm -rf dist
	@python -m hatchling build --target wheel --directory $(abspath dist)
	@cd tools/localcloud && python -m hatchling build --target wheel --directory $(abspath dist)

release-notes: $(RUN_READY) ## Print the notes of TAG, if tag, versions and changelog agree: make release-notes TAG=v1.2.3
	@python -m tools.release "$(TAG)"

check: $(DEV_READY) ## Lint, format, types, lock of the picks
	ruff check .
	ruff format --check .
	mypy
	sizewell lock --check --config "$(CONFIG)"

format: $(DEV_READY) ## Format the code and sort its imports
	ruff check --fix .
	ruff format .

bench: $(DEV_READY) ## Time loading, selection, synth and review; accuracy of estimates and of the review
	@python -m tools.benchmarks.loading
	@python -m tools.benchmarks.selection
	@python -m tools.benchmarks.estimates --leave-one-publisher-out 2>/dev/null
	@python -m tools.benchmarks.decisions --leave-one-publisher-out 2>/dev/null
	@python -m tools.benchmarks.reviews
	@python -m tools.benchmarks.review_speed
	@python -m tools.benchmarks.synth

schema: $(RUN_READY) ## Write the JSON Schemas of the configuration and of a review
	@sizewell schema --output .sizewell
	@python -m sizewell.review.rendering

docs: $(RUN_READY) ## Write what of the guides is made from code
	@python -m tools.config_guide
	@python -m tools.rule_pages
	@python -m tools.image_page

# A link that leads nowhere ends it: to a file before the site is built, to a page while it is, to an anchor after.
site: $(RUN_READY) $(SITE_READY) ## Build the documentation site in site/; read site/index.html
	@python -m tools.site_pages
	@rm -rf site
	@$(VENV)-site/bin/zensical build --clean --strict
	@python -m tools.site_links site

resource-schemas: $(DEV_READY) ## Write what a review knows of CloudFormation's resource schemas, from cfn-lint
	@python -m tools.benchmarks.resource_schemas

pictures: $(DEV_READY) ## Draw the pictures of the README and of the guides; needs Chromium
	@python docs/images/draw_plan.py
	@PYTHONPATH=. python docs/images/draw_pages.py

snapshots: $(DEV_READY) ## Accept the snapshots of today: read the difference before you commit it
	@pytest tests/snapshots tests/examples/test_examples.py -n 2 --snapshot-update

lock: $(DEV_READY) ## Compile the lock files from both pyproject.toml
	$(LOCK) pyproject.toml tools/localcloud/pyproject.toml --extra dev --output-file requirements-dev.lock
	$(LOCK) pyproject.toml --constraint requirements-dev.lock --output-file requirements.lock
	$(LOCK) --group training-toolkit --no-emit-package pip --constraint requirements-dev.lock --output-file requirements-toolkit.lock \
		$(NOT_OF_DEV)
	$(LOCK) --group release --no-emit-package pip --constraint requirements-dev.lock --constraint requirements-toolkit.lock \
		--output-file requirements-release.lock $(NOT_OF_DEV)
	$(LOCK) --group site --output-file requirements-site.lock

clean: ## Remove what can be made again
	@test ! -e .localcloud/state.json || { echo "a local cloud may be running; first: make destroy-local" >&2; exit 2; }
	rm -rf $(VENV) $(VENV).lock $(VENV)-site $(VENV)-site.lock build/pages site .localcloud .sizewell cdk.out cdk.out.new*

# Each environment comes whole or not at all; two makes at once do not get into each other's way.
$(RUN_READY): requirements.lock pyproject.toml
$(DEV_READY): $(RUN_READY) requirements-dev.lock tools/localcloud/pyproject.toml
$(SITE_READY): requirements-site.lock
$(RUN_READY) $(DEV_READY) $(SITE_READY):
	@test -n "$(PYTHON)" || { echo "Sizewell needs Python 3.11 or newer on PATH, or make PYTHON=/path/to/python" >&2; exit 2; }
	@exec $(PYTHON) set_up.py $@
