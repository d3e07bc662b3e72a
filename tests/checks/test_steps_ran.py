import pytest

from grader.checks.finding import Finding, Status
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, decide

TOKENISE = (
    "import sentencepiece\ns = SentencePieceProcessor(model_file='sp.model')\nfor x in ('train', 'valid', 'test'): f(x)"
)
OPTIONS = "--trainpref d/train.spm --validpref d/valid.spm --testpref d/test.spm --srcdict dict.txt --destdir bin"
BINARISE = f"!fairseq-preprocess --only-source {OPTIONS}"
LOG = "| [None] data/train.spm: 1800 sents, 284877 tokens, 0.132% replaced (by <unk>)"


def judge(*cells: Cell, report: str | None = None) -> Finding:
    return decide("t2.prepared", answer(report, cells))[0]


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


def test_a_listing_in_the_report_is_no_sign_that_it_ran() -> None:
    assert judge(report=f"# Task 2\n\n```\n{TOKENISE}\n{BINARISE}\n```\n").status is Status.REVIEW


def test_words_about_it_without_code_are_for_a_person_and_nothing_is_missing() -> None:
    finding = judge(report="# Task 2\n\nWe tokenised and binarised.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert judge(report="# Task 3\n\nOur results are below.").status is Status.MISSING
