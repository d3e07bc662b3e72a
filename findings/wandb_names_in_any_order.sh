#!/bin/sh
# Weights & Biases writes the names of a history row in another order in each row.
#
# Version: wandb 0.22.3.
# One might guess that rows logged from the same dictionary hold the same names in the same order, so that the file of an
# offline run could be read column by column. The order changes from row to row, as that of a map in Go does. Whoever
# reads such a file by the position of a name mixes up the metrics:
#
#     e f h _timestamp b d g _runtime _step a c
#     b c e f h a d g _timestamp _runtime _step
#     a b c g h _runtime _step d e f _timestamp
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check wandb==0.22.3
cd "$folder"
WANDB_MODE=offline WANDB_SILENT=true WANDB_DIR="$folder" "$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
from pathlib import Path

import wandb
from wandb.proto.wandb_internal_pb2 import Record
from wandb.sdk.internal.datastore import DataStore

names = "abcdefgh"
with wandb.init(project="order") as run:
    for step in range(100):
        run.log({name: step + place / 10 for place, name in enumerate(names)})

(path,) = Path().glob("**/*.wandb")
store = DataStore()
store.open_for_scan(str(path))
orders = []
while (data := store.scan_data()) is not None:
    record = Record()
    record.ParseFromString(data)
    if record.HasField("history"):
        orders.append(tuple(item.key or item.nested_key[0] for item in record.history.item))
print(*orders[:4], sep="\n")
print(len(orders), "rows,", len(set(orders)), "orders of names")
assert len(orders) == 100
assert len({frozenset(order) for order in orders}) == 1
assert len(set(orders)) > 1, set(orders)
PYTHON
