"""All checks by name."""

from types import MappingProxyType

from grader.checks.accuracy_band import accuracy_band
from grader.checks.check import Check
from grader.checks.checkpoint_selection import checkpoint_selection
from grader.checks.comparison import comparison
from grader.checks.configured_call import configured_call
from grader.checks.count_derivation import count_derivation
from grader.checks.definition import definition
from grader.checks.foreign_hand_in import foreign_hand_in
from grader.checks.hyperparameters import hyperparameters
from grader.checks.parameter_count import parameter_count
from grader.checks.parameter_values import parameter_values
from grader.checks.printed_count import printed_count
from grader.checks.prompt_format import prompt_format
from grader.checks.seed_statistics import seed_statistics
from grader.checks.seeds_reported import seeds_reported
from grader.checks.steps_ran import steps_ran
from grader.checks.trainable_count import trainable_count
from grader.lab.definition import Item, Watch
from grader.lab.files import LabError

CHECKS = MappingProxyType(
    {
        check.name: check
        for check in (
            accuracy_band,
            checkpoint_selection,
            comparison,
            configured_call,
            count_derivation,
            definition,
            foreign_hand_in,
            hyperparameters,
            parameter_count,
            parameter_values,
            printed_count,
            prompt_format,
            seed_statistics,
            seeds_reported,
            steps_ran,
            trainable_count,
        )
    }
)


def check_of(asked: Item | Watch) -> Check:
    """The check that decides an item, or watches. Raises LabError when no check has that name."""
    if asked.check not in CHECKS:
        place = f"item {asked.id}" if isinstance(asked, Item) else "watches"
        raise LabError(
            f"lab.toml: {place}: there is no check named {asked.check!r}. Known checks: {', '.join(CHECKS)}."
        )
    return CHECKS[asked.check]
