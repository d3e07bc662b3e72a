#!/usr/bin/env bash
# Grades one hand-in and writes results/results.json, whatever happens.
root="${AUTOGRADER_ROOT:-/autograder}"
export PYTHONPATH="$root/site" PYTHONDONTWRITEBYTECODE=1
exec "$(cat "$root/python")" -m grader.packages.autograders gradescope "$root"
