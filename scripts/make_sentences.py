"""Train the model of what sentences say, from the marked sentences beside it: `make sentences`."""

from grader.claims.meaning import MODEL
from grader.lab.files import LABS, load_lab
from grader.training.sentences import CARD, frozen

WRITTEN_FOR = "nlp_frameworks"
"""The lab whose names the marked sentences use, and its two experiments that they compare."""
COMPARED = "pretrained", "random"


def main() -> None:
    """Write the model and its card."""
    model, card = frozen(load_lab(LABS / WRITTEN_FOR), COMPARED)
    MODEL.write_bytes(model)
    CARD.write_text(card, encoding="utf-8")
    print(card)


if __name__ == "__main__":
    main()
