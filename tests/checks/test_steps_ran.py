from grader.checks.finding import Finding, Status
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, decide

TOKENISE = "import sentencepiece\ns = SentencePieceProcessor(model_file='sp.model')"
BINARISE = "!fairseq-preprocess --only-source --trainpref data/train.spm"


def judge(*cells: Cell, report: str | None = None) -> Finding:
    return decide("t2.prepared", answer(report, cells))[0]


def test_every_step_that_ran_is_right() -> None:
    finding = judge(code(TOKENISE), code("x"), code(BINARISE, "| [None] data/train.spm: 1800 sents"))
    assert finding.status is Status.CORRECT
    assert [(e.cell, e.line) for e in finding.evidence] == [(0, 2), (2, 1)]


def test_a_step_that_did_not_run_is_for_a_person() -> None:
    finding = judge(code(TOKENISE), code(BINARISE, ran=False))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert "binarising" in finding.feedback


def test_the_cell_that_ran_is_taken_where_a_step_stands_twice() -> None:
    assert judge(code(TOKENISE), code(BINARISE, ran=False), code(BINARISE)).status is Status.CORRECT


def test_a_step_that_is_not_there_is_for_a_person() -> None:
    finding = judge(code(TOKENISE))
    assert finding.status is Status.REVIEW
    assert "binarising" in finding.feedback
    assert judge(code("print('hello')")).suggestion is Status.INCORRECT


def test_a_listing_in_the_report_is_no_sign_that_it_ran() -> None:
    assert judge(report=f"# Task 2\n\n```\n{TOKENISE}\n{BINARISE}\n```\n").status is Status.REVIEW


def test_no_code_is_missing() -> None:
    assert judge(report="# Task 2\n\nWe tokenised and binarised.").status is Status.MISSING
