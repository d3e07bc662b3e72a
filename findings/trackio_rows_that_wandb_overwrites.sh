#!/bin/sh
# The same two calls leave two values with trackio, and one with wandb, whose second call overwrites the first value.
#
# Versions: wandb 0.31.0, trackio 0.43.0.
# trackio is made to be imported as wandb: "import trackio as wandb". A program logs the accuracy of an evaluation with
# its step, and later another accuracy without one. One might guess that the second call gets the next step in both
# libraries. With wandb a call with a step leaves the row open, the next call without a step adds to that row, and a
# name that is there already gets the new value, without a word. trackio has no open rows:
#
#     log({"acc": 0.125}, step=5)      trackio  step 5  0.125      wandb
#     log({"acc": 0.625})              trackio  step 6  0.625      wandb  step 5  0.625
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check wandb==0.31.0 trackio==0.43.0
cd "$folder"
export TRACKIO_DIR="$folder/kept" WANDB_MODE=offline WANDB_SILENT=true
cat > train.py <<'PYTHON'
import importlib
import sys

tracker = importlib.import_module(sys.argv[1])
run = tracker.init(project="lab", name="seed1")
run.log({"acc": 0.125}, step=5)
run.log({"acc": 0.625})
run.finish()
PYTHON
"$folder/venv/bin/python" train.py wandb > wandb.txt 2>&1
"$folder/venv/bin/python" train.py trackio > trackio.txt 2>&1
"$folder/venv/bin/python" - <<'PYTHON'
import json
import sqlite3
import struct
from pathlib import Path

from wandb.proto.wandb_internal_pb2 import Record

# The file of a run has a header of 7 bytes and records with one of 7 bytes each: checksum, length, kind.
(path,) = Path("wandb").glob("offline-run-*/run-*.wandb")
content, at, rows = path.read_bytes(), 7, []
while at < len(content):
    _, length, _ = struct.unpack_from("<IHB", content, at)
    record = Record.FromString(content[at + 7 : at + 7 + length])
    at += 7 + length
    row = {item.nested_key[-1]: json.loads(item.value_json) for item in record.history.item}
    if "acc" in row:
        rows.append((row["_step"], row["acc"]))
print("wandb  ", rows)
assert rows == [(5, 0.625)], rows

kept = sqlite3.connect("kept/lab.db").execute("SELECT step, metrics FROM metrics ORDER BY id").fetchall()
kept = [(step, json.loads(metrics)["acc"]) for step, metrics in kept]
print("trackio", kept)
assert kept == [(5, 0.125), (6, 0.625)], kept
assert "overw" not in Path("wandb.txt").read_text().lower()
PYTHON
