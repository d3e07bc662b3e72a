# The two commands of the README are `make grade` and `make test`; the others are for work on the project.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: grade test test-slow coverage lint format docs samples schema messages sentences truth bench pictures mutants wheel
.PHONY: release
.PHONY: checks lab-docs libraries ocr clean kept keep kept-anew first-sight

grade: $(VENV)/core libraries
	$(BIN)/grade submissions --out graded

# Many tests start `grade`: compiled once, each start is quick also where Python may not keep what it compiles; nor does
# each worker then compile all tests, each time. Each worker gets tests that follow each other, which share what they
# need.
test: $(VENV)/all libraries
	$(BIN)/python -m compileall -q grader reference
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist worksteal

test-slow: $(VENV)/all libraries
	$(BIN)/python -m pytest -m slow

# How many lines and branches the tests run, and which they do not (build/coverage). What runs in a cage is not counted:
# nothing can be written there.
coverage: $(VENV)/all libraries
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -n auto --dist worksteal
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage html --quiet --skip-covered
	$(BIN)/python -m coverage report --skip-covered --sort=cover

lint: $(VENV)/all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation as a site, in build/site. A dead link in it ends this with an error.
docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# The binary files of the sample class and of the reference answers, and the published JSON Schema.
samples: $(VENV)/all libraries
	$(BIN)/python -m scripts.make_samples

schema: $(VENV)/all
	$(BIN)/python -m scripts.make_schema

# The page about all checks, from their docstrings and signatures.
checks: $(VENV)/all
	$(BIN)/python -m scripts.make_check_docs

# The page about every key of a lab, and the JSON Schema of lab.toml for editors, from the definition of a lab.
lab-docs: $(VENV)/all
	$(BIN)/python -m scripts.make_lab_docs

# The catalogues of languages, brought up to date; a new one with: make messages LANGUAGE=de
messages: $(VENV)/all
	$(BIN)/python -m scripts.collect_messages $(LANGUAGE)

# The frozen model of what sentences say about a choice or a comparison, from the marked sentences beside it.
sentences: $(VENV)/all
	$(BIN)/python -m scripts.make_sentences

# The frozen truth of the shipped lab, computed anew from the real libraries.
truth: $(VENV)/all
	$(BIN)/grade truth build

# The README's pictures: first pages of two reports of the sample class.
pictures: $(VENV)/all libraries
	$(BIN)/python -m scripts.make_pictures

bench: $(VENV)/all libraries
	$(BIN)/python -m scripts.bench

# Scores hand-ins that nobody who works on the grader has seen, by their keys (tests/writers.md): make first-sight FOLDER=folder
first-sight: $(VENV)/all
	$(BIN)/python -m tests.first_sight $(FOLDER)

# Grades the labelled hand-ins again from their kept readings, and lists each verdict that moved and whether its key
# allows it. `make keep` keeps readings and verdicts of the code as it is now; further hand-ins: make keep CORPORA=folder.
kept: $(VENV)/all
	$(BIN)/python -m tests.replay

keep: $(VENV)/all
	$(BIN)/python -m tests.replay keep $(CORPORA)

# Writes anew what the tests compare: what is read of the invented answers, and the verdicts on them. Look at `git diff`
# before you commit.
kept-anew: $(VENV)/all
	$(BIN)/python -m tests.kept
	$(BIN)/python -m tests.claims.readings

# Mutation testing: which small changes to scoring, checks and claims the tests do not notice, on a random sample.
mutants: $(VENV)/all
	$(PIP) -e '.[mutants]'
	$(BIN)/python -m scripts.mutants --sample $(or $(SAMPLE),40)

# Proves that wheel and source distribution are whole: built, checked, installed into an empty environment elsewhere, the
# wheel grades a folder there.
wheel: $(VENV)/all libraries
	$(BIN)/python -m pytest -m slow tests/test_wheel.py

# Builds what is published into dist, checks it, and writes the section of the changelog about this version into
# dist/notes.md. It fails where pyproject.toml, the program and the changelog name different versions, or where the version
# has a tag already. Publishing is left to you; the last lines say how.
release: $(VENV)/all
	$(BIN)/python -m scripts.release

# What WeasyPrint needs of the system. Without it grades are still written, only the PDFs are not.
libraries:
	@sh scripts/system_libraries.sh

# What reads scans and pictures of answers. Without it they go to a person.
ocr:
	@command -v tesseract >/dev/null || $$([ "$$(id -u)" = 0 ] || echo sudo) apt-get install -y tesseract-ocr tesseract-ocr-fra

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name it with: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/all: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[reference,dev]'
	@touch $@ $(VENV)/core

$(VENV)/docs: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) mkdocs-material
	@touch $@

clean:
	rm -rf $(VENV) graded build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
