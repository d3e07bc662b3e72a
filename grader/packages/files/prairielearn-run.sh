#!/bin/sh
# Grades one hand-in and writes /grade/results/results.json, whatever happens.
exec python3 -m grader.packages.autograders prairielearn "${GRADE_ROOT:-/grade}"
