"""Decisions are bound to what they are about, and hand-ins keep the ids that they were given."""

import hashlib
import json

from alembic import op
from sqlalchemy import Column, String, Text, text

revision = "0005"
down_revision = "0004"

_LENGTH = 16


def upgrade() -> None:
    """From decisions of which only the finding is known. The hand-in that each one is about is that of the grade that
    the student had then."""
    for name, kind in (("subject", String(200)), ("about", Text)):
        op.add_column("decisions", Column(name, kind, nullable=False, server_default=""))
    op.create_table(
        "bindings",
        Column("lab", String(200), primary_key=True),
        Column("student", String(300), primary_key=True),
        Column("item", String(200), primary_key=True),
        Column("mark", String(64), primary_key=True),
        Column("subject", String(200), nullable=False),
        Column("about", Text, nullable=False),
    )
    op.create_table(
        "names",
        Column("lab", String(200), primary_key=True),
        Column("origin", String(1000), primary_key=True),
        Column("student", String(300), nullable=False),
    )
    connection = op.get_bind()
    grade = text(
        "SELECT grades.submission_sha256 FROM grades JOIN runs ON runs.id = grades.run WHERE runs.lab = :lab AND "
        "grades.student = :student AND grades.graded <= :decided ORDER BY grades.id DESC LIMIT 1"
    )
    bound = text("UPDATE decisions SET subject = :subject WHERE id = :id")
    for one in connection.execute(text("SELECT id, lab, student, decided FROM decisions")).all():
        values = {"lab": one.lab, "student": one.student, "decided": one.decided}
        hand_in = connection.execute(grade, values).scalar()
        if hand_in:
            # As `subject_of` writes it: a hash of the JSON of the hash. A star: what was refused is not known.
            part = hashlib.sha256(json.dumps(hand_in).encode()).hexdigest()[:_LENGTH]
            connection.execute(bound, {"subject": f":{part}*::", "id": one.id})
