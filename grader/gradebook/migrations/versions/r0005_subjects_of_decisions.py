"""Decisions are bound to what they are about, and hand-ins keep the ids that they were given."""

import hashlib
import json

from alembic import op
from sqlalchemy import text

from grader.gradebook.store import columns

revision = "0005"
down_revision = "0004"

_LENGTH = 16


def upgrade() -> None:
    """Add subjects to decisions of which only the finding is known. The hand-in that each decision is about is that of
    the grade that the student had then."""
    for column in columns("subject 200, about", server_default=""):
        op.add_column("decisions", column)
    op.create_table(
        "bindings",
        *columns("lab 200, student 300, item 200, mark 64", primary_key=True),
        *columns("subject 200, about"),
    )
    op.create_table("names", *columns("lab 200, origin 1000", primary_key=True), *columns("student 300"))
    connection = op.get_bind()
    grade = text(
        "SELECT grades.submission_sha256 FROM grades JOIN runs ON runs.id = grades.run WHERE runs.lab = :lab AND "
        "grades.student = :student AND grades.graded <= :decided ORDER BY grades.id DESC LIMIT 1"
    )
    bound = text("UPDATE decisions SET subject = :subject WHERE id = :id")
    for decision in connection.execute(text("SELECT id, lab, student, decided FROM decisions")).all():
        values = {"lab": decision.lab, "student": decision.student, "decided": decision.decided}
        hand_in = connection.execute(grade, values).scalar()
        if hand_in:
            # As `subject_of` writes it: a hash of the JSON of the hash. A star: what was refused is not known.
            part = hashlib.sha256(json.dumps(hand_in).encode()).hexdigest()[:_LENGTH]
            connection.execute(bound, {"subject": f":{part}*::", "id": decision.id})
