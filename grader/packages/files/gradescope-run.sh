#!/usr/bin/env bash
# Grades one hand-in and writes results/results.json, whatever happens.
root="${AUTOGRADER_ROOT:-/autograder}"
export PYTHONPATH="$root/site" PYTHONDONTWRITEBYTECODE=1
# -P: nothing is imported from the current folder.
exec "$(cat "$root/python")" -P -m grader.packages.autograders gradescope "$root"
