# What each target does: README.md and CONTRIBUTING.md. All take VENV=… for an environment kept elsewhere.

VENV ?= .venv
PYTHON ?= python3
PORT ?= 8000
# How many test processes; pytest-xdist's "auto" is one a core.
JOBS ?= auto

PY := $(VENV)/bin/python
UV := $(shell command -v uv 2>/dev/null)

# An environment is installed once for each content of its requirements: the stamp's name has their hash. The serving
# one also has the command `agentteam`, which belongs to this folder.
SERVING := requirements.txt requirements-local-embeddings.txt
DEVELOPMENT := requirements-dev.txt
digest = $(firstword $(shell cat requirements.txt requirements-local-embeddings.txt requirements-dev.txt | sha256sum))
folder = $(firstword $(shell pwd | sha256sum))
SERVING_STAMP := $(VENV)/.serving-$(digest)-$(folder)
DEVELOPMENT_STAMP := $(VENV)/.development-$(digest)

# What runs once more on PostgreSQL: the rooms that write, and what only PostgreSQL shows. With AGENTTEAM_TEST_SLOW=1, as
# in CI, everything that meets a database does.
ON_POSTGRESQL := tests/workspaces tests/marketplace tests/activity tests/extensions tests/knowledge \
	tests/security/test_races.py tests/security/test_throttles.py
ifeq ($(AGENTTEAM_TEST_SLOW),1)
ON_POSTGRESQL := $(addprefix --ignore=,tests/searchengines tests/browser tests/tooling)
endif

.NOTPARALLEL:
.PHONY: help demo run test check bench soak

help:
	@echo "make demo    play the main job from installation to an agent's search, against a sandbox"
	@echo "make run     serve pages and API on PORT=$(PORT); DEMO=1 adds a connected sample workspace"
	@echo "make test    the tests, on SQLite and on PostgreSQL; AGENTTEAM_TEST_SLOW=1 adds the rehearsals"
	@echo "make check   format, lint, types, import rules, migrations, system checks"
	@echo "make bench   the benchmark"
	@echo "make soak    ten minutes of load"

demo: $(SERVING_STAMP) .env | staticfiles
	@$(PY) -m agentteam.demo

run: $(SERVING_STAMP) .env | staticfiles
	@$(PY) manage.py migrate --no-input --verbosity 0
ifeq ($(DEMO),1)
	@PORT=$(PORT) exec $(PY) -m agentteam.demo.serve
else
	@PORT=$(PORT) exec $(PY) -m agentteam.serve
endif

test: $(DEVELOPMENT_STAMP)
	AGENTTEAM_TEST_DATABASE=sqlite $(PY) -m pytest -q -n $(JOBS)
	AGENTTEAM_TEST_DATABASE=postgresql $(PY) -m pytest -q -n $(JOBS) $(ON_POSTGRESQL)

# The system checks run as in production, on keys and a database of their own.
check: export AGENTTEAM_ENV_FILE = /dev/null
check: export DATABASE_URL = sqlite://:memory:
check: export DEBUG = 0
check: export AGENTTEAM_HTTPS = 1
check: export ALLOWED_HOSTS = search.example.org
check: export SECRET_KEY = $(shell head -c 48 /dev/urandom | base64 -w 0)
check: export AGENTTEAM_APP_CREDENTIALS_MASTER_KEY = $(shell head -c 32 /dev/urandom | base64 -w 0)
check: $(DEVELOPMENT_STAMP)
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy .
	$(VENV)/bin/lint-imports
	$(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py check --fail-level WARNING
	$(PY) manage.py check --deploy --fail-level WARNING

bench: $(DEVELOPMENT_STAMP)
	$(PY) -m bench.run

soak: $(DEVELOPMENT_STAMP)
	$(PY) -m bench.soak

# The server looks for collected files here, and takes those of the source tree when there are none.
staticfiles:
	@mkdir $@

# Fresh random keys where there is no .env; one that is there is never touched.
.env: | $(PY)
	@umask 077 && printf 'SECRET_KEY=%s\nAGENTTEAM_APP_CREDENTIALS_MASTER_KEY=%s\n' \
		"$$($(PY) -c 'import secrets; print(secrets.token_urlsafe(48))')" \
		"$$($(PY) -c 'import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())')" >.env.new
	@mv -n .env.new .env
	@echo "Wrote .env with fresh keys. Keep it: without its master key no stored credential can be read."

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; name it as PYTHON=…" if sys.version_info < (3, 11) else 0)'
ifdef UV
	@uv venv --quiet --seed --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
else
	@$(PYTHON) -m venv $(VENV)
endif

ifdef UV
install = uv pip install --quiet --python $(PY)
else
install = $(PY) -m pip install --quiet
endif

$(SERVING_STAMP): | $(PY)
	@echo "Installing the requirements into $(VENV)"
	@$(install) $(addprefix -r ,$(SERVING))
	@$(install) --no-deps --editable .
	@touch $@

$(DEVELOPMENT_STAMP): | $(PY)
	@echo "Installing the requirements of the tests into $(VENV)"
	@$(install) $(addprefix -r ,$(DEVELOPMENT))
	@touch $@
