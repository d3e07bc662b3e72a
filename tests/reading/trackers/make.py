"""Log the training runs of a sample with a tracker of experiments, and pack what it leaves.

    python -m venv v && v/bin/pip install wandb==0.31.0        # or one of the others
    v/bin/python tests/reading/trackers/make.py wandb

Versions: wandb 0.31.0, mlflow 3.17.2 (mlflow-skinny and sqlalchemy do), trackio 0.43.0, dvclive 3.49.1, sacred 0.8.7,
on Python 3.11. The runs and their values stand in `course.json`; those that every reader has to find again.
"""

import json
import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
COURSE = json.loads((HERE / "course.json").read_text())


def rows(run):
    """What is logged together, by its step."""
    for place, step in enumerate(run["steps"]):
        yield step, {name: values[place] for name, values in run["values"].items()}


def settings(run):
    """The settings of a run."""
    return {"seed": run["seed"], "init": run["init"], "learning_rate": 1e-05}


def wandb():
    os.environ |= {"WANDB_MODE": "offline", "WANDB_SILENT": "true"}
    import wandb as library

    for run in COURSE:
        with library.init(project="lab4", name=run["name"], config=settings(run)) as opened:
            for step, row in rows(run):
                opened.log(row, step=step)
    for link in [*Path("wandb").rglob("*")]:
        if link.is_symlink() or link.suffix == ".log":
            link.unlink()


def mlflow(address="sqlite:///mlflow.db"):
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import mlflow as library

    library.set_tracking_uri(address)
    library.set_experiment("lab4")
    for run in COURSE:
        with library.start_run(run_name=run["name"]):
            library.log_params(settings(run))
            for step, row in rows(run):
                library.log_metrics(row, step=step)


def mlruns():
    mlflow("file:./mlruns")


def trackio():
    os.environ["TRACKIO_DIR"] = "trackio"
    import trackio as library

    for run in COURSE:
        library.init(project="lab4", name=run["name"], config=settings(run))
        for step, row in rows(run):
            library.log(row, step=step)
        library.finish()


def dvclive():
    from dvclive import Live

    for run in COURSE:
        with Live(dir=f"dvclive/{run['name']}", save_dvc_exp=False, dvcyaml=None) as live:
            live.log_params(settings(run))
            for step, row in rows(run):
                live.step = step
                for name, value in row.items():
                    live.log_metric(name, value)
                live.make_summary()


def sacred():
    from sacred import Experiment
    from sacred.observers import FileStorageObserver

    for run in COURSE:
        experiment = Experiment(run["name"], save_git_info=False, interactive=True)
        experiment.observers.append(FileStorageObserver("runs"))
        experiment.add_config(settings(run))

        def train(_run, run=run):
            for step, row in rows(run):
                for name, value in row.items():
                    _run.log_scalar(name, value, step)

        experiment.main(train)
        experiment.run()
    shutil.rmtree("runs/_sources", ignore_errors=True)


def packed(name):
    """Run a tracker in an empty folder and pack what it leaves, without what names the machine."""
    os.environ |= {"USER": "student", "LOGNAME": "student", "USERNAME": "student"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        globals()[name]()
        with zipfile.ZipFile(HERE / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(Path().rglob("*")):
                if file.is_file():
                    archive.write(file)
        os.chdir(HERE)


if __name__ == "__main__":
    for one in sys.argv[1:]:
        packed(one)
