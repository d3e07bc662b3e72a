"""Drafts a lab from a hand-out, which is read in a process of its own that can touch nothing else, as hand-ins are."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from grader.lab.draft import Draft, drafted_lab
from grader.lab.files import StarterError, lab_name, with_schema, write_schema
from grader.pipeline.cage import Bounds
from grader.pipeline.isolation import run_isolated

if TYPE_CHECKING:
    from grader.pipeline.isolation import Send

_MOST_SHOWN: Final = 6


def write_draft(folder: Path, hand_out: Path) -> Draft:
    """Writes a lab into a new or empty folder, with the questions of a hand-out. Raises StarterError where none is
    found, and OSError."""
    name = lab_name(folder)
    draft = draft_of(hand_out)
    if not draft.questions:
        seen = "; ".join(draft.headings[:_MOST_SHOWN]) or "none"
        raise StarterError(
            f"No question was recognised in {hand_out} (headings seen: {seen}). Begin with `--template blank`, and "
            "write the questions into its lab.toml."
        )
    folder.mkdir(parents=True, exist_ok=True)
    text = drafted_lab(name, draft, hand_out.name)
    (folder / "lab.toml").write_text(with_schema(text), encoding="utf-8", newline="\n")
    write_schema(folder)
    return draft


def draft_of(hand_out: Path) -> Draft:
    """The questions of a hand-out. Raises StarterError where it cannot be read."""
    if not hand_out.is_file():
        what = "is not a file" if hand_out.exists() else "is not there"
        raise StarterError(f"{hand_out} {what}; name the handout, such as handout.pdf, .ipynb, .tex, .md or .docx.")
    bounds = Bounds((hand_out,), converts=True)
    outcomes = run_isolated(
        _work,
        [hand_out],
        workers=1,
        preload=("grader.reading.formats", "grader.claims.drafting"),
        bounds=lambda _: bounds,
    )
    for outcome in outcomes:
        sent = outcome.sent
        if outcome.failure or _DRAFT not in sent:
            why = sent.get(_WHY, b"").decode(errors="replace") or outcome.failure or "it holds no text"
            raise StarterError(f"{hand_out} cannot be read: {why}. Save it as PDF or as text, and try again.")
        try:
            return Draft.model_validate_json(sent[_DRAFT])
        except ValidationError as error:  # the hand-out has taken over its process
            raise StarterError(f"{hand_out} cannot be read: what came back is no draft.") from error
    raise StarterError(f"{hand_out} cannot be read.")


_DRAFT, _WHY = b"D", b"W"
"""The tags of the messages: the draft as JSON, and the reason why there is none."""


def _work(hand_out: Path, send: "Send") -> None:
    from grader.claims.drafting import draft_questions
    from grader.reading.formats import read_path
    from grader.reading.notebook import notebook_document

    reading = read_path(hand_out)
    documents = (*reading.documents, *map(notebook_document, reading.notebooks))
    reasons = [str(file.reason) for file in reading.files if file.reason]
    if any(document.blocks for document in documents):
        send(_DRAFT + draft_questions(documents[0]).model_dump_json().encode())
    elif reasons:
        send(_WHY + reasons[0].encode())
