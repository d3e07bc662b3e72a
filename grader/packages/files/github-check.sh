#!/usr/bin/env bash
# Shows what is read of the hand-in in this repository: all that is committed but the check itself.
set -eu
hand_in="$(mktemp -d)"
trap 'rm -rf "$hand_in"' EXIT
git -C "$GITHUB_WORKSPACE" archive HEAD | tar -x -C "$hand_in"
rm -rf "$hand_in/.check" "$hand_in/.github"
status=0
lab-check "$hand_in" > "$hand_in.txt" || status=$?
cat "$hand_in.txt"
{
  echo '~~~~~~text'
  sed 's/~~~~~~/~~~~~ /g' "$hand_in.txt"
  echo '~~~~~~'
} >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
rm -f "$hand_in.txt"
exit "$status"
