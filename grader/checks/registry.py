"""All checks by name.

`CHECKS` holds the built-in checks. Installed packages offer more through entry points, and are loaded only when a lab
uses them.
"""

from types import MappingProxyType

from grader.checks.by_hand import by_hand
from grader.checks.check import Check, place_label, suggest_name
from grader.checks.checkpoint_selection import checkpoint_selection
from grader.checks.choice import choice
from grader.checks.code_asked import code_asked
from grader.checks.comparison import comparison
from grader.checks.configured_call import configured_call
from grader.checks.contains import contains
from grader.checks.count_derivation import count_derivation
from grader.checks.expected_band import expected_band
from grader.checks.figure_present import figure_present
from grader.checks.foreign_hand_in import foreign_hand_in
from grader.checks.formula_answer import formula_answer
from grader.checks.hyperparameters import hyperparameters
from grader.checks.notebook_ran import notebook_ran
from grader.checks.notebook_state import notebook_state
from grader.checks.numeric_answer import numeric_answer
from grader.checks.parameter_count import parameter_count
from grader.checks.parameter_values import parameter_values
from grader.checks.printed_count import printed_count
from grader.checks.printed_value import printed_value
from grader.checks.prompt_format import prompt_format
from grader.checks.section_present import section_present
from grader.checks.seed_statistics import seed_statistics
from grader.checks.seeds_reported import seeds_reported
from grader.checks.short_answer import short_answer
from grader.checks.size_answer import size_answer
from grader.checks.steps_ran import steps_ran
from grader.checks.table import table
from grader.checks.tested import tests_passed
from grader.checks.trainable_count import trainable_count
from grader.installed import CHECKS as OFFERED
from grader.installed import UnusablePackageError, describe_offer, load_offer, offers
from grader.lab.definition import Item, Watch
from grader.lab.files import LabError
from grader.message import join_messages, say


def _installed_check(name: str) -> Check | str | None:
    """Return the check that an installed package offers under a name.

    Return the reason as text if it cannot be used, and None if no package offers it.
    """
    try:
        found = load_offer(OFFERED, name, "check")
    except UnusablePackageError as error:
        return str(error)
    if found is None:
        return None
    place = describe_offer(OFFERED, name, "check")
    if not isinstance(found, Check):
        return say("{where}: it is no check. Put @check({name!r}) above the function.", where=place, name=name)
    if found.name != name:
        return say(
            "{where} calls itself {own!r}. Give @check and pyproject.toml the same name.", where=place, own=found.name
        )
    return found


CHECKS = MappingProxyType(
    {
        check.name: check
        for check in (
            by_hand,
            checkpoint_selection,
            choice,
            code_asked,
            comparison,
            configured_call,
            contains,
            count_derivation,
            expected_band,
            figure_present,
            foreign_hand_in,
            formula_answer,
            hyperparameters,
            notebook_ran,
            notebook_state,
            numeric_answer,
            parameter_count,
            parameter_values,
            printed_count,
            printed_value,
            prompt_format,
            section_present,
            seed_statistics,
            seeds_reported,
            short_answer,
            size_answer,
            steps_ran,
            table,
            tests_passed,
            trainable_count,
        )
    }
)


def check_of(asked: Item | Watch) -> Check:
    """Return the check of an item or a watch. Raises LabError if no such check exists or it cannot be used."""
    found = find_check(asked.check)
    if isinstance(found, Check):
        return found
    place = place_label(asked) if isinstance(asked, Item) else say("watches")
    raise LabError(say("lab.toml: {place}: {problem}", place=place, problem=found))


def find_check(name: str) -> Check | str:
    """Return the built-in or installed check with a name, or the reason as text why there is none."""
    return CHECKS.get(name) or _installed_check(name) or _unknown(name)


def clashes() -> tuple[str, ...]:
    """Return the problems with installed checks that have the name of a built-in check. The built-in check is used."""
    return tuple(
        say(
            "The package {package} offers a check named {name!r}, but that one is built in and stays in use. Give it "
            "another name in the package's pyproject.toml, or uninstall the package.",
            package=package,
            name=name,
        )
        for name, package in offers(OFFERED)
        if name in CHECKS
    )


def _unknown(name: str) -> str:
    known_checks = (*CHECKS, *(other for other, _ in offers(OFFERED) if other not in CHECKS))
    return say(
        "there is no check named {name!r}. {meant}Known checks: {known}. A check of a lab's own comes in a package "
        "that has to be installed: pip install -e FOLDER.",
        name=name,
        meant=suggest_name(name, known_checks),
        known=join_messages(", ", known_checks),
    )
