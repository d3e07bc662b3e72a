#!/usr/bin/env bash
# Fetches every repository whose name begins with PREFIX as it was pushed last before DEADLINE. Times are GitHub's times
# of pushes, since those of commits are the student's own to choose.
set -eu
: "${OWNER:?}" "${PREFIX:?}" "${DEADLINE:?}"
mkdir -p submissions
echo 'student,submitted_at' > times.csv
limit="$(date -u -d "$DEADLINE" +%Y-%m-%dT%H:%M:%SZ)"
gh repo list "$OWNER" --limit 4000 --json name --jq '.[].name' | while read -r name; do
  case "$name" in "$PREFIX"*) ;; *) continue ;; esac
  case "$name" in *[!A-Za-z0-9._-]*) continue ;; esac
  student="${name#"$PREFIX"}"
  pushes="$(gh api "repos/$OWNER/$name/activity?per_page=100&activity_type=push,force_push" \
    --jq '.[] | [.timestamp, .after, .ref] | @tsv' | sort -r)"
  push="$(awk -v limit="$limit" '$1 <= limit { print; exit }' <<< "$pushes")"
  [ -n "$push" ] || push="$(tail -n 1 <<< "$pushes")"
  if [ -z "$push" ]; then
    echo "$name: nothing was pushed" >&2
    continue
  fi
  IFS=$'\t' read -r when commit _ <<< "$push"
  mkdir -p "submissions/$student"
  if gh api "repos/$OWNER/$name/tarball/$commit" > hand-in.tar.gz; then
    tar -xzf hand-in.tar.gz -C "submissions/$student" --strip-components 1 --no-same-owner --no-same-permissions
    rm -rf "submissions/$student/.check" "submissions/$student/.github"
    echo "$student,$when" >> times.csv
  else
    echo "$name: $commit could not be fetched" >&2
  fi
  rm -f hand-in.tar.gz
done
