"""Notebook sources are Jinja templates: what a hand-in's runs print is filled in from its numbers."""

from pathlib import Path

from scripts.samples import fairseq_text, trainer_run
from scripts.samples.experiment import HandIn


def render(hand_in: HandIn, template: Path) -> str:
    """The text of a template of a hand-in. Raises jinja2.UndefinedError when it names something unknown."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    sources = hand_in.source.parent
    environment = Environment(  # noqa: S701 - the result is a notebook's source, in which nothing may be escaped
        loader=FileSystemLoader(sources), undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    return environment.get_template(template.relative_to(sources).as_posix()).render(
        pretrained=hand_in.runs_of("pretrained"),
        random=hand_in.runs_of("random"),
        huggingface=hand_in.runs_of("huggingface"),
        preprocess_log=fairseq_text.preprocess_log,
        label_log=fairseq_text.label_log,
        fairseq_log=fairseq_text.training_log,
        trainer_log=trainer_run.training_log,
        trainer_test_log=trainer_run.test_log,
    )
