"""Which experiment of the lab a training run is of."""

from grader.claims.results.vocabulary import experiments_in
from grader.lab.definition import Lab
from grader.reading.logs.patterns import EXPERIMENT
from grader.reading.run import Framework, Run
from grader.reading.run_names import telling_name

_FRAMEWORKS = {Framework.FAIRSEQ: "fairseq", Framework.TRAINER: "hugging face transformers trainer"}
"""The words by which labs name them."""


def experiment_of(run: Run, lab: Lab) -> str | None:
    """The id of the experiment that the lab says logs so; else of the one that the run's facts describe; where they do
    not tell, the one that its folder's name does. None where that is none or several, and where facts and name
    contradict each other."""
    given = {one.value for log in run.logs for one in log.settings if one.name == EXPERIMENT}
    if given:
        return given.pop() if len(given) == 1 else None
    if "framework" in run.unclear or "start" in run.unclear:
        return None
    name = telling_name(run.name, run.logs)
    named = experiments_in(name.replace("_", " ").replace("/", " ").replace("-", " "), lab)
    facts = experiments_in(_words(run), lab)
    if not facts:
        return named[0] if len(named) == 1 else None
    if len(facts) > 1:
        return None
    alike = {
        facts[0],
        *(other for experiment in lab.experiments if experiment.id == facts[0] for other in experiment.like),
    }
    return facts[0] if len(named) != 1 or named[0] in alike else None


def _words(run: Run) -> str:
    """What is known of the run in words. Framework and weights belong together: one alone may fit two experiments."""
    framework = _FRAMEWORKS[Framework(run.framework.value)] if run.framework else ""
    if not framework:
        return ""
    return " ".join([framework, run.start.value if run.start else "", run.adapter.value if run.adapter else ""])
