"""A fairseq run as event files: one folder per subset, and the whole command line in each file."""

from scripts.samples.event_file import event_file
from scripts.samples.experiment import Run
from scripts.samples.fairseq_run import command, epochs

SUBSETS = ("train_inner", "valid", "test", "train")
"""In the order in which fairseq opens their files, which numbers them."""


def fairseq_event_files(run: Run, host: str) -> dict[str, bytes]:
    """The event files of a run by their paths: `<experiment>_seed<seed>/<subset>/events.out.tfevents.…`."""
    return dict(_subset_file(run, host, number, subset) for number, subset in enumerate(SUBSETS))


def _subset_file(run: Run, host: str, number: int, subset: str) -> tuple[str, bytes]:
    logged = [epoch.logged[subset] for epoch in epochs(run)]
    opened = logged[0].wall_time - 0.125
    name = f"events.out.tfevents.{int(opened)}.{host}.{run.pid}.{number}"
    content = event_file(opened, {"sys.argv": command(run)}, logged)
    return f"{run.experiment}_seed{run.seed}/{subset}/{name}", content
