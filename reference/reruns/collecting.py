"""The collection of evidence from the folders of whole runs: one file for each set-up."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reference.evidence import RerunEvidence, SeedResult
from reference.reruns.fairseq_logs import check_logs
from reference.reruns.run_record import Plan, RerunError, RunRecord
from reference.reruns.running import read_record
from reference.reruns.spec import ClassifierSpec, GenerationSpec


def whole_runs(folder: Path) -> tuple[list[RunRecord], list[str]]:
    """The records of whole runs in the folders of `folder`, and the names of those that are not whole.

    The logs of a run in fairseq's form must say what its record says. Raises RerunError when they do not, when there is
    no whole run, or when a record is damaged.
    """
    records, unfinished = [], []
    for path in sorted(path for path in folder.glob("*") if path.is_dir()):
        record = read_record(path)
        if record is not None:
            if record.plan.framework == "fairseq":
                check_logs(path, record)
            records.append(record)
        elif any(path.iterdir()):
            unfinished.append(path.name)
    if not records:
        raise RerunError(f"{folder} holds no whole run. Name the --out of `grade truth rerun`.")
    return records, unfinished


def evidence_of(
    records: Iterable[RunRecord], specs: tuple[ClassifierSpec | GenerationSpec, ...], name: str
) -> tuple[RerunEvidence, ...]:
    """The evidence of some runs, set-up by set-up: runs whose plans differ in nothing but the seed.

    Its ids are `<name>-<schedule>-<experiment>`. Raises RerunError when two set-ups would have the same id.
    """
    groups: dict[str, list[RunRecord]] = defaultdict(list)
    for record in records:
        groups[record.plan.model_copy(update={"seed": 0}).sha256].append(record)
    found = tuple(_setup(sorted(runs, key=lambda run: run.plan.seed), specs, name) for runs in groups.values())
    ids = [setup.id for setup in found]
    for repeated in (identifier for identifier in ids if ids.count(identifier) > 1):
        raise RerunError(
            f"Runs of {repeated} differ in more than their seed (data, recipe or precision): collect them from "
            f"folders of their own, under different names."
        )
    return found


def _setup(runs: list[RunRecord], specs: tuple[ClassifierSpec | GenerationSpec, ...], name: str) -> RerunEvidence:
    plan = runs[0].plan
    spec = next(
        (candidate for candidate in specs if candidate.id == plan.experiment and isinstance(candidate, ClassifierSpec)),
        None,
    )
    same = spec.same_reviews if isinstance(spec, ClassifierSpec) else ()
    return RerunEvidence(
        id=f"{name}-{plan.recipe.schedule}-{plan.experiment}",
        source=_source(plan, runs),
        plan=plan,
        other_reviews={split: plan.splits[split] for split in ("valid", "test") if split not in same},
        seeds=tuple(_seed(run) for run in runs),
    )


def _source(plan: Plan, runs: list[RunRecord]) -> str:
    seeds = ", ".join(str(run.plan.seed) for run in runs)
    devices = " and ".join(sorted({run.device for run in runs}))
    return f"rerun with {plan.framework}'s recipe on {devices}, seed{'s' * (len(runs) > 1)} {seeds}, data {plan.data}"


def _seed(run: RunRecord) -> SeedResult:
    data: dict[str, Any] = run.model_dump(exclude={"plan"})
    return SeedResult.model_validate({"seed": run.plan.seed, **data})


def write_evidence(folder: Path, evidence: RerunEvidence) -> Path:
    """Write the evidence of a set-up into a lab's evidence folder, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{evidence.id}.json"
    temporary = folder / f"{evidence.id}.tmp"
    temporary.write_text(evidence.model_dump_json(indent=1) + "\n", encoding="utf-8")
    temporary.replace(target)
    return target
