#!/bin/sh
# MLflow's database keeps a metric that is NaN as 0.0, and an infinite one as the largest double.
#
# Version: mlflow 3.6.0 with SQLAlchemy 2.0.44.
# A run that diverges logs nan. One might guess that the column "value" of the table "metrics" holds NaN or NULL then. It
# holds 0.0, and only the column "is_nan" tells; the client turns that back into NaN. Infinity is kept, and read back, as
# 1.7976931348623157e+308. Whoever queries the table for the lowest loss finds the run that diverged:
#
#     loss  nan       value 0.0                        is_nan 1
#     loss  inf       value 1.7976931348623157e+308    is_nan 0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mlflow==3.6.0 sqlalchemy==2.0.44
cd "$folder"
"$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import sqlite3

import mlflow

mlflow.set_tracking_uri("sqlite:///runs.db")
with mlflow.start_run() as run:
    mlflow.log_metric("loss", float("nan"), step=0)
    mlflow.log_metric("loss", float("inf"), step=1)
    mlflow.log_metric("loss", 0.25, step=2)

kept = sqlite3.connect("runs.db").execute("SELECT step, value, is_nan FROM metrics ORDER BY step").fetchall()
print(kept)
assert kept == [(0, 0.0, 1), (1, 1.7976931348623157e308, 0), (2, 0.25, 0)]
history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss")
read = [(one.step, repr(one.value)) for one in sorted(history, key=lambda one: one.step)]
print(read)
assert read == [(0, "nan"), (1, "1.7976931348623157e+308"), (2, "0.25")], read
PYTHON
