#!/bin/sh
# Grades one hand-in and writes /grade/results/results.json, whatever happens.
# -P, -E: nothing is imported from the current folder, or from where PYTHONPATH points.
exec python3 -P -E -m grader.packages.autograders prairielearn "${GRADE_ROOT:-/grade}"
