"""Train the models of what sentences say, from the marked sentences beside them: `make sentences`."""

import json

from grader.lab.files import LABS, load_lab
from grader.model.sentences import DATA, LABELS
from grader.training.sentences import CARD, inputs, train_topic

WRITTEN_FOR = "nlp_frameworks"
"""The lab whose names the marked sentences use, and its two experiments that they compare."""
COMPARED = "pretrained", "random"


def main() -> None:
    """Write the models and their card."""
    lab = load_lab(LABS / WRITTEN_FOR)
    card: dict[str, object] = {"inputs": inputs()}
    for topic in LABELS:
        model, card[topic] = train_topic(topic, lab, COMPARED)
        (DATA / f"{topic}.npz").write_bytes(model)
    text = json.dumps(card, indent=1) + "\n"
    CARD.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
