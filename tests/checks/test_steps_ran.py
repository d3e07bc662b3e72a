import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from grader.checks.finding import Finding, Status
from grader.claims.answer import extract
from grader.intake.submission import Submission, SubmittedFile, role_of
from grader.reading.formats import read
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, decide, run
from tests.claims.making import lab

TOKENISE = (
    "import sentencepiece\ns = SentencePieceProcessor(model_file='sp.model')\nfor x in ('train', 'valid', 'test'): f(x)"
)
OPTIONS = "--trainpref d/train.spm --validpref d/valid.spm --testpref d/test.spm --srcdict dict.txt --destdir bin"
BINARISE = f"!fairseq-preprocess --only-source {OPTIONS}"
LOG = "| [None] data/train.spm: 1800 sents, 284877 tokens, 0.132% replaced (by <unk>)"


def judge(*cells: Cell, report: str | None = None) -> Finding:
    return decide("t2.prepared", answer(report, cells))[0]


@pytest.mark.parametrize(
    "said",
    [
        "First the reviews were split with the given sentencepiece model, then binarised by fairseq.",
        "I split all three parts with `spm_encode`. After that I used `fairseq-preprocess`, which took a minute.",
        "J'ai passé spm_encode sur tous les fichiers, puis prétraité le tout.",
    ],
)
def test_a_report_alone_that_tells_of_every_step_is_right_in_part(said: str) -> None:
    assert judge(report=f"# Task 2\n\n{said}\n").status is Status.PARTIAL


def test_logs_of_another_training_do_not_change_what_a_report_alone_says() -> None:
    said = "# Task 2\n\nI split all with `spm_encode`. After that I used `fairseq-preprocess`, which took a minute.\n"
    other = [log.model_copy(update={"name": "mnist"}) for log in run("", 1, [50, 70], [50, 70])]
    assert decide("t2.prepared", answer(said, logs=other))[0].status is Status.PARTIAL


@pytest.mark.parametrize(
    "said",
    [
        "I tokenised with sentencepiece and binarised, see the notebook.",
        "The reviews were split with sentencepiece and binarised. The output is in my notebook.",
        "I tokenised with sentencepiece and binarised.\n\n![commands](shell.png)",
    ],
)
def test_a_report_that_points_to_more_is_for_a_person(said: str) -> None:
    finding = judge(report=f"# Task 2\n\n{said}\n")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


@pytest.mark.parametrize(
    "said",
    [
        "I tokenised with sentencepiece.",
        "I tokenised with sentencepiece but never binarised anything.",
        "I would tokenise with sentencepiece and then binarise.",
        "Should one tokenise with sentencepiece and then binarise?",
    ],
)
def test_a_report_that_does_not_tell_of_every_step_is_left_to_a_person(said: str) -> None:
    finding = judge(report=f"# Task 2\n\n{said}\n")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_what_a_report_says_beside_a_notebook_decides_nothing() -> None:
    finding = judge(code("x = 1"), report="# Task 2\n\nI used spm_encode and then fairseq-preprocess.\n")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_every_step_that_ran_is_right() -> None:
    finding = judge(code(TOKENISE), code("x"), code(BINARISE, LOG))
    assert finding.status is Status.CORRECT
    assert [(e.cell, e.line) for e in finding.evidence] == [(0, 2), (2, 1), (2, None)]
    assert finding.evidence[-1].quote == LOG


def test_a_step_that_did_not_run_is_right_in_part() -> None:
    finding = judge(code(TOKENISE), code(BINARISE, ran=False))
    assert finding.status is Status.PARTIAL
    assert "binarising" in finding.feedback


def test_the_cell_that_ran_is_taken_where_a_step_stands_twice() -> None:
    assert judge(code(TOKENISE), code(BINARISE, ran=False), code(BINARISE)).status is Status.CORRECT


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        ((code(TOKENISE), code(BINARISE.replace("--srcdict dict.txt", ""))), "option-missing"),
        ((code(TOKENISE.replace(", 'test'", "")), code(BINARISE)), "part-missing"),
        ((code(TOKENISE), code(BINARISE, LOG.replace("0.132", "71.3"))), "unknown-tokens"),
        ((code(TOKENISE), code(BINARISE, "sh: fairseq-preprocess: command not found")), "failed"),
        ((code(TOKENISE), code(BINARISE + " # fill me --x")), None),
        ((code(TOKENISE), code("!fairseq-preprocess --only-source --trainpref ___")), "gap"),
    ],
)
def test_what_speaks_against_a_step_is_named(cells: tuple[Cell, ...], doubt: str | None) -> None:
    finding = judge(*cells)
    decided = Status.REVIEW if doubt == "part-missing" else Status.PARTIAL
    assert finding.status is (decided if doubt else Status.CORRECT)
    assert (doubt in {one.id for one in finding.diagnoses}) is bool(doubt)


@pytest.mark.parametrize(
    ("listed", "status"),
    [
        ("--validpref d/valid.spm,d/test.spm", Status.CORRECT),
        ("--validpref d/valid.spm", Status.PARTIAL),
        ("--validpref d/test.spm", Status.PARTIAL),
        ("--validpref d/valid.spm,d/train.spm", Status.PARTIAL),
    ],
)
def test_an_option_may_list_what_another_one_names(listed: str, status: Status) -> None:
    command = BINARISE.replace("--validpref d/valid.spm --testpref d/test.spm", listed)
    assert judge(code(TOKENISE), code(command, LOG)).status is status


def test_a_failed_attempt_before_a_right_one_costs_nothing() -> None:
    failed = code(BINARISE, "FileNotFoundError: No such file or directory")
    assert judge(code(TOKENISE), failed, code(BINARISE, LOG)).status is Status.CORRECT


def test_one_step_alone_is_right_in_part_and_none_is_missing() -> None:
    finding = judge(code(TOKENISE))
    assert finding.status is Status.PARTIAL
    assert "binarising" in finding.feedback
    assert judge(code("print('hello')")).status is Status.MISSING


def test_options_that_are_not_known_are_for_a_person() -> None:
    assert judge(code(TOKENISE), code("!fairseq-preprocess $OPTIONS", LOG)).status is Status.REVIEW


def test_a_listing_in_a_report_alone_counts_where_it_also_tells_what_came_of_it() -> None:
    listing = f"# Task 2\n\n```\n{TOKENISE}\n{BINARISE}\n```\n\n"
    alone = judge(report=listing)
    assert (alone.status, alone.suggestion) == (Status.REVIEW, Status.CORRECT)
    assert judge(report=f"{listing}All passed: 1800 + 200 + 2000 reviews.").status is Status.CORRECT
    assert judge(report=f"{listing}Log: `Wrote preprocessed data to bin`.").status is Status.CORRECT
    assert judge(report=f"# Task 2\n\n```\n{TOKENISE}\n```\n\n1800 + 200 + 2000 reviews.").status is not Status.CORRECT


@pytest.mark.parametrize(
    ("line", "likely"),
    [("python cut.py sentencepiece.bpe.model d/train", Status.CORRECT), ("bash cut.sh", Status.PARTIAL)],
)
def test_a_program_of_another_name_may_tokenise(line: str, likely: Status) -> None:
    finding = judge(code(f"!{line}\n{BINARISE}"))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, likely)


def test_words_about_it_without_code_are_for_a_person_and_nothing_is_missing() -> None:
    finding = judge(report="# Task 2\n\nWe tokenised and binarised.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert judge(report="# Task 3\n\nOur results are below.").status is Status.MISSING


SCRIPT = f"set -e\nP=d\n{BINARISE[1:]}\n"
PRINTED = (
    "2023-11-20 10:00:01 | INFO | fairseq_cli.preprocess | [None] Dictionary: 31999 types\n"
    + "".join(
        f"2023-11-20 10:00:0{number} | INFO | fairseq_cli.preprocess | [None] d/{part}.spm: {sentences} sents, "
        f"{sentences * 150} tokens, 0.13% replaced (by <unk>)\n"
        for number, (part, sentences) in enumerate((("train", 1800), ("valid", 200), ("test", 2000)), 2)
    )
    + "2023-11-20 10:00:09 | INFO | fairseq_cli.preprocess | Wrote preprocessed data to bin\n"
)
MAKEFILE = f"P ?= d\n\nprepare: tokens\n\t@{BINARISE[1:]}\n\ntrain:\n\tfairseq-train bin\n"


def saved(*cells: tuple[str, str]) -> str:
    """A notebook file."""
    return json.dumps(
        {
            "nbformat": 4,
            "cells": [
                {
                    "cell_type": "code",
                    "source": source,
                    "execution_count": number,
                    "outputs": [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else [],
                }
                for number, (source, printed) in enumerate(cells, 1)
            ],
        }
    )


def exported(*cells: tuple[str, str]) -> str:
    """The notebook as a page."""
    shown = (
        f'<div class="jp-Cell jp-CodeCell"><div class="jp-InputPrompt">In [{number}]:</div>'
        f'<div class="highlight"><pre>{html.escape(source)}</pre></div>'
        f'<div class="jp-OutputArea"><pre>{html.escape(printed)}</pre></div></div>'
        for number, (source, printed) in enumerate(cells, 1)
    )
    return "<html><body>" + "".join(shown) + "</body></html>"


def judged(folder: Path, **files: str) -> Finding:
    """The verdict on whole files; `__` in a name is a folder, `_` before its end a dot."""
    stored = []
    for number, (name, content) in enumerate({"report_md": "# Task 3\n\nThe mean is 80.", **files}.items()):
        head, _, suffix = name.replace("__", "/").rpartition("_")
        path = f"{head}.{suffix}" if head else suffix
        location = folder / str(number)
        location.write_text(content, encoding="utf-8")
        data = content.encode()
        role = role_of(path, data)
        stored.append(SubmittedFile(path=path, role=role, size=len(data), sha256="0", location=location))
    reading = read(Submission(student_id="s", student_name="S", files=tuple(stored), sha256="0"))
    return decide("t2.prepared", extract(reading, lab()))[0]


@pytest.mark.parametrize(
    "files",
    [
        {"lab_ipynb": saved((TOKENISE, ""), ("!bash prep.sh", PRINTED)), "prep_sh": SCRIPT},
        {"lab_ipynb": saved((TOKENISE, ""), ("!bash prep.sh", PRINTED))},
        {"lab_ipynb": saved((TOKENISE, ""), ("!bash prep.sh > log.txt", "")), "prep_sh": SCRIPT},
        {"lab_ipynb": saved((TOKENISE, ""), ("!make prepare", "")), "Makefile": MAKEFILE},
        {"lab_ipynb": saved((TOKENISE, ""), ("!make", "")), "Makefile": MAKEFILE},
        {"lab_ipynb": saved(("!cat p.sh; bash p.sh", PRINTED))},
        {"lab_ipynb": saved(("encode_all(sp)", ""), ("!make prepare", PRINTED))},
        {"lab_py": TOKENISE, "prep_sh": SCRIPT, "logs__prepare_txt": PRINTED},
        {"lab_py": f"{TOKENISE}\nget_ipython().system('make')", "logs__prepare_log": PRINTED},
        {"lab_html": exported((TOKENISE, ""), ("!bash prep.sh | tail", PRINTED))},
        {"lab_html": exported((TOKENISE, ""), (BINARISE, ""))},
        {"lab_ipynb": saved(("%run encode.py --in d", "")), "encode_py": TOKENISE, "prep_sh": SCRIPT, "l_txt": PRINTED},
    ],
)
def test_what_a_tool_prints_or_a_run_of_its_script_is_proof_wherever_it_stands(
    tmp_path: Path, files: dict[str, str]
) -> None:
    finding = judged(tmp_path, **files)
    assert finding.status is Status.CORRECT, finding.feedback


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ({"lab_ipynb": saved((TOKENISE, ""), ("!make train", "")), "Makefile": MAKEFILE}, Status.PARTIAL),
        ({"lab_ipynb": saved((TOKENISE, ""), ("!cat prep.sh", SCRIPT)), "prep_sh": SCRIPT}, Status.PARTIAL),
        ({"lab_ipynb": saved((TOKENISE, ""), ("x", "")), "prep_sh": SCRIPT}, Status.PARTIAL),
        ({"lab_ipynb": saved((TOKENISE, ""), ("!bash prep.sh", ""))}, Status.REVIEW),
        ({"lab_ipynb": saved(("!bash prep.sh", ""))}, Status.REVIEW),
        ({"lab_ipynb": saved(("!bash tune.sh", "| epoch 001 | loss 0.7"))}, Status.MISSING),
        ({"lab_ipynb": saved(("x = 1  # after fairseq-preprocess in the terminal", ""))}, Status.REVIEW),
        ({"lab_ipynb": saved(("x = 1", "")), "prepare_bat": BINARISE[1:]}, Status.REVIEW),
        ({"lab_ipynb": saved(("x = 1", "")), "prep_sh": "fairseq-train bin --lr 1\n"}, Status.MISSING),
        ({"lab_ipynb": saved((f"print({LOG!r})\nprint('Wrote preprocessed data to')", LOG))}, Status.MISSING),
    ],
)
def test_what_is_no_proof_is_not_taken_for_one(tmp_path: Path, files: dict[str, str], status: Status) -> None:
    assert judged(tmp_path, **files).status is status


@pytest.mark.parametrize(
    ("printed", "status"),
    [
        (PRINTED, Status.CORRECT),
        (PRINTED.replace("0.13%", "0.0%"), Status.CORRECT),  # in the dictionary that was given
        (PRINTED.replace("0.13%", "35.0%"), Status.PARTIAL),
        (PRINTED.replace("0.13%", "35.0%") + PRINTED, Status.CORRECT),  # done again with the right dictionary
        (PRINTED.partition("[None] d/train")[0], Status.PARTIAL),
    ],
)
def test_words_that_the_dictionary_knows_prove_that_they_were_made(
    tmp_path: Path, printed: str, status: Status
) -> None:
    assert judged(tmp_path, lab_ipynb=saved((BINARISE, printed))).status is status


def test_a_dictionary_of_the_texts_own_words_knows_all_of_them(tmp_path: Path) -> None:
    own_words = re.sub(r"--srcdict \S+", "", BINARISE)
    known = PRINTED.replace("0.13%", "0.0%")
    assert judged(tmp_path, lab_ipynb=saved((own_words, known))).status is Status.PARTIAL


LOOP = "for s in train valid test; do\n  spm_encode --model=m < raw/$s {to}\ndone\n"
KNOWN = PRINTED.replace("0.13%", "0.0%")


@pytest.mark.parametrize(
    ("told", "printed", "status"),
    [
        ("> d/$s.spm", KNOWN, Status.CORRECT),
        ("--output=./d/$s.spm", KNOWN, Status.CORRECT),
        # Another file than the one that was read; the dictionary that is given knows all words of the latter.
        ("> e/$s.spm", KNOWN, Status.CORRECT),
        ("> e/$s.spm", KNOWN.replace("0.0%", "35.0%"), Status.PARTIAL),
        ("> d/$s.spm", KNOWN.replace("0.0%", "35.0%"), Status.PARTIAL),
    ],
)
def test_a_file_that_a_later_step_read_was_written(tmp_path: Path, told: str, printed: str, status: Status) -> None:
    script = LOOP.replace("{to}", told) + SCRIPT
    assert judged(tmp_path, prep_sh=script, logs__prep_log=printed).status is status


RULES = f"all: prepare\n\nprepare: tokens\n\t{BINARISE[1:]}\n\ntokens data:\n\techo done\n"
DEEP = f"a: b\nb: c\nc: d\nprepare: tokens\n\t{BINARISE[1:]}\nd: prepare\n"
NAMED_TWICE = f"one two:\n\t{BINARISE[1:]}\n"


@pytest.mark.parametrize(
    ("command", "file", "status"),
    [
        ("!make all", {"Makefile": RULES}, Status.CORRECT),
        ("!make prepare data", {"Makefile": RULES}, Status.CORRECT),
        ("!make data", {"Makefile": RULES}, Status.PARTIAL),
        ("!make tokens", {"Makefile": RULES}, Status.PARTIAL),
        ("!make a", {"Makefile": DEEP}, Status.CORRECT),
        ("!make tokens", {"Makefile": DEEP}, Status.PARTIAL),
        ("!make two", {"Makefile": NAMED_TWICE}, Status.CORRECT),
        ("!make three", {"Makefile": NAMED_TWICE}, Status.PARTIAL),
        ("!./prep.sh", {"prep_sh": SCRIPT}, Status.CORRECT),
        ("!sh -e prep.sh", {"prep_sh": SCRIPT}, Status.CORRECT),
        ("!source prep.sh", {"prep_sh": SCRIPT}, Status.CORRECT),
        ("!zsh scripts/prep.sh", {"scripts__prep_sh": SCRIPT}, Status.CORRECT),
        ("!bash other.sh", {"prep_sh": SCRIPT}, Status.PARTIAL),
        ("!ls prep.sh", {"prep_sh": SCRIPT}, Status.PARTIAL),
        ("!make train", {"prep_sh": SCRIPT}, Status.PARTIAL),
    ],
)
def test_a_script_is_run_by_its_name_or_by_a_target_that_needs_it(
    tmp_path: Path, command: str, file: dict[str, str], status: Status
) -> None:
    assert judged(tmp_path, lab_ipynb=saved((TOKENISE, ""), (command, "")), **file).status is status


@pytest.mark.parametrize(
    ("commands", "named"),
    [
        (("!bash a.sh",), ["a.sh was not handed in"]),
        (("!./a.sh",), ["a.sh was not handed in"]),
        (("!make",), ["Makefile was not handed in"]),
        (("!sh -x tools/a.sh",), ["a.sh was not handed in"]),
        (("!bash a.sh", "!bash b.sh", "!bash a.sh"), ["a.sh was not handed in", "b.sh was not handed in"]),
        (("!bash a.sh\n!bash b.sh\n!bash c.sh\n!bash d.sh",), [f"{one}.sh was not handed in" for one in "abc"]),
        (("%%writefile a.sh\necho", "!bash a.sh"), []),
        (("!python a.sh",), []),
        (("!cat a.sh",), []),
    ],
)
def test_scripts_that_were_not_handed_in_may_hold_the_steps(commands: Sequence[str], named: list[str]) -> None:
    finding = judge(*map(code, commands))
    assert finding.status is (Status.REVIEW if named else Status.MISSING)
    for one in named:
        assert one in finding.feedback
    assert finding.feedback.count("not handed in") == len(named)


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ((code(TOKENISE), code(f"def f():\n    run('{BINARISE[1:]}')"), code("f()")), Status.CORRECT),
        ((code(f"import os\nos.system('{BINARISE[1:]}')"), code(TOKENISE)), Status.CORRECT),
        ((code(f"%%bash\n{BINARISE[1:]}"), code(TOKENISE)), Status.CORRECT),
        ((code(f"%%bash\n# {BINARISE[1:]}"), code(TOKENISE)), Status.PARTIAL),
        ((code("!echo fairseq-preprocess"), code(TOKENISE)), Status.PARTIAL),
        ((code("!pip install sentencepiece fairseq"), code("import sentencepiece")), Status.MISSING),
        ((code(TOKENISE), code(BINARISE, "ModuleNotFoundError: No module named 'fairseq'")), Status.PARTIAL),
        ((code(TOKENISE), code(BINARISE, f"No such file or directory\n{LOG}")), Status.CORRECT),
        ((code(TOKENISE), code(BINARISE).model_copy(update={"error": "KeyboardInterrupt"})), Status.PARTIAL),
    ],
)
def test_a_step_is_taken_by_what_runs_it(cells: Sequence[Cell], status: Status) -> None:
    assert judge(*cells).status is status


STEP = f"fairseq-preprocess --only-source {OPTIONS}"
IDLE = {
    "a remark": f"# !{STEP}",
    "a text": f'"""\n!{STEP}\n"""\nx = 1',
    "if 0": f'import os\nif 0:\n    os.system("{STEP}")',
    "if False": f"if False:\n    !{STEP}",
    "a program of another name": f'import os\nif __name__ == "never":\n    os.system("{STEP}")',
    "for type checkers": f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    !{STEP}",
    "a comparison that fails": f"if 1 > 2:\n    !{STEP}",
    "while False": f"while False:\n    !{STEP}",
    "not True": f'import os\nif not True:\n    os.system("{STEP}")',
    "False and": f'import os\nFalse and os.system("{STEP}")',
    "a choice": f'import os\nx = os.system("{STEP}") if False else 0',
    "behind return": f"def f():\n    return\n    !{STEP}\nf()",
    "behind exit": f'import os, sys\nsys.exit()\nos.system("{STEP}")',
    "behind raise": f'import os\nraise SystemExit\nos.system("{STEP}")',
    "a function that nothing calls": f"def prepare():\n    !{STEP}\nprint('ok')",
    "called by what nothing calls": f"def a():\n    !{STEP}\ndef b():\n    a()",
    "a class that nothing uses": f'import os\nclass P:\n    def go(self):\n        os.system("{STEP}")',
    "a lambda": f'import os\ngo = lambda: os.system("{STEP}")',
    "script false": f"%%script false --no-raise-error\n{STEP}",
    "javascript": f"%%javascript\n{STEP}",
    "html": f"%%html\n<pre>{STEP}</pre>",
    "a file": f"%%writefile prepare.sh\n{STEP}",
    "a note": f"%%writefile notes.txt\n{STEP}",
    "a document": f"%%bash\ncat > x.sh <<EOF\n{STEP}\nEOF\nls",
    "a quoted document": f"%%bash\ncat <<'END' > x.sh\n{STEP}\nEND",
    "a text of no effect": f"%%bash\n: '\n{STEP}\n'",
    "echo": f"%%bash\necho '\n{STEP}\n'",
    "if false in a shell": f"%%bash\nif false; then\n{STEP}\nelse\nls\nfi",
    "false && in a shell": f"%%bash\nfalse && {STEP}",
    "true || in a shell": f"%%bash\ntrue || {STEP}",
    "behind exit in a shell": f"%%bash\nexit 0\n{STEP}",
    "a shell function that nothing calls": f"%%bash\nprepare() {{\n  {STEP}\n}}\nls",
}
LIVE = {
    "a script that is run": (f"%%writefile prepare.sh\n{STEP}", "!bash prepare.sh"),
    "a script made to run": (f"%%writefile prepare.sh\n{STEP}", "!chmod +x prepare.sh && ./prepare.sh"),
    "a program that is run": (f'%%writefile prep.py\nimport os\nos.system("{STEP}")', "!python prep.py"),
    "a document that is run": (f"%%bash\ncat > x.sh <<EOF\n{STEP}\nEOF\nbash x.sh",),
    "a document that is run later": (f"%%bash\ncat > x.sh <<EOF\n{STEP}\nEOF", "!sh x.sh"),
    "a document for a shell": (f"%%bash\nbash <<EOF\n{STEP}\nEOF",),
    "a function called later": (f'import os\ndef prepare():\n    os.system("{STEP}")', "prepare()"),
    "a function that is handed on": (f'import os\ndef p(x):\n    os.system("{STEP}")\nlist(map(p, [1]))',),
    "a decorated function": (f'import click, os\n@click.command()\ndef p():\n    os.system("{STEP}")',),
    "a program of its own": (
        f'import os\ndef main():\n    os.system("{STEP}")\nif __name__ == "__main__":\n    main()',
    ),
    "where it is not there yet": (f"import os\nif not os.path.exists('bin'):\n    !{STEP}",),
    "where it is not there yet in a shell": (f"%%bash\nif [ ! -d bin ]; then\n{STEP}\nfi",),
    "where an exit is a guard": (f"%%bash\ncd /x || exit 1\nif [ -d bin ]; then exit 0; fi\n{STEP}",),
    "a shell function": (f"%%bash\nprepare() {{\n  {STEP}\n}}\nprepare",),
    "an apostrophe above": (f"%%bash\n# don't forget\n{STEP}",),
    "what may fail": (f'import os\ntry:\n    os.system("{STEP}")\nexcept Exception as error:\n    print(error)',),
    "a name for it": (f'command = "{STEP}"\n!{{command}}',),
}


@pytest.mark.parametrize("source", IDLE.values(), ids=IDLE)
def test_what_cannot_have_run_is_no_step_that_ran(source: str) -> None:
    finding = judge(code(TOKENISE), code(source))
    assert (finding.status, finding.suggestion) in ((Status.PARTIAL, None), (Status.REVIEW, Status.PARTIAL))
    assert "binarising" in finding.feedback


@pytest.mark.parametrize("cells", LIVE.values(), ids=LIVE)
def test_what_ran_in_a_roundabout_way_is_right(cells: tuple[str, ...]) -> None:
    assert judge(code(TOKENISE), *map(code, cells)).status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Commands, all ran:\n\nspm_encode --model=sp.model < a > b\n\nfairseq-preprocess --only-source",
        "- tokens: `spm_encode --model sp.model` on each\n- binary: `fairseq-preprocess --only-source --srcdict d`",
    ],
)
def test_a_report_alone_that_writes_the_commands_out_is_for_a_person(said: str) -> None:
    finding = judge(report=f"# Task 2\n\n{said}\n")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.CORRECT)


def test_one_command_of_two_is_for_a_person() -> None:
    said = "I ran `spm_encode --model sp.model` on all files, and binarised them by fairseq."
    finding = judge(report=f"# Task 2\n\n{said}\n")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


def test_results_show_that_commands_without_output_were_run() -> None:
    scripts = code(f"{TOKENISE}\n{BINARISE}", ran=False)
    told = judge(
        scripts, report="# Task 3\n\nSeeds 1, 2 and 3 of the pretrained model reach 79.3, 78.5 and 80.1 on test."
    )
    assert told.status is Status.CORRECT
    assert judge(scripts, report="# Task 3\n\nOur results are below.").status is Status.REVIEW


def test_a_command_that_is_cut_short_is_for_a_person() -> None:
    command = "!fairseq-preprocess --only-source --srcdict dict.txt --destdir bin ..."
    finding = judge(code(f"{TOKENISE}\n{command}", "| Wrote preprocessed data to bin"))
    assert finding.status in (Status.REVIEW, Status.CORRECT)
