"""All experiments on LoRA, and the facts that they yield with the installed libraries."""

from grader.lab.truth import Fact
from reference.lora import (
    experiments_alpha,
    experiments_bias,
    experiments_dropout,
    experiments_layers,
    experiments_method,
    experiments_rank,
    experiments_start,
    experiments_targets,
    experiments_task_type,
    experiments_variants,
)
from reference.lora.fact import Experiment, RefutedError, perform

TOPICS = (
    experiments_alpha.EXPERIMENTS,
    experiments_bias.EXPERIMENTS,
    experiments_dropout.EXPERIMENTS,
    experiments_layers.EXPERIMENTS,
    experiments_method.EXPERIMENTS,
    experiments_rank.EXPERIMENTS,
    experiments_start.EXPERIMENTS,
    experiments_targets.EXPERIMENTS,
    experiments_task_type.EXPERIMENTS,
    experiments_variants.EXPERIMENTS,
)


def experiments() -> tuple[Experiment, ...]:
    """Every experiment, by id."""
    return tuple(
        sorted(
            (experiment for topic in TOPICS for experiment in topic), key=lambda known_experiment: known_experiment.id
        )
    )


def outcomes(date: str) -> tuple[Fact | RefutedError, ...]:
    """The outcome of every experiment, by id: the fact, or why the installed libraries refute it. `date` is today's, as
    YYYY-MM-DD."""
    return tuple(_outcome(experiment, date) for experiment in experiments())


def facts(date: str) -> tuple[Fact, ...]:
    """The facts of all experiments, by id. `date` is today's, as YYYY-MM-DD.

    Raises an ExceptionGroup that names every refuted one, since a false sentence must not be frozen as a truth.
    """
    found = outcomes(date)
    refuted = [outcome for outcome in found if isinstance(outcome, RefutedError)]
    if refuted:
        raise ExceptionGroup("the installed libraries refute facts about LoRA", refuted)
    return tuple(outcome for outcome in found if isinstance(outcome, Fact))


def _outcome(experiment: Experiment, date: str) -> Fact | RefutedError:
    try:
        return perform(experiment, date)
    except RefutedError as refuted:
        return refuted
