#!/usr/bin/env bash
# Installs the grader when Gradescope builds the image. Without a network it uses the wheels that lie beside it, or what
# the image has.
set -eu
root="${AUTOGRADER_ROOT:-/autograder}"
source="$root/source"
new_enough() {
  command -v "$1" >/dev/null && "$1" -P -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}
choose() {
  for one in python3 python3.13 python3.12 python3.11; do
    if new_enough "$one"; then
      command -v "$one"
      return
    fi
  done
}
python="$(choose)"
if [ -z "$python" ]; then
  apt-get update && apt-get install -y --no-install-recommends python3.11 python3-pip
  python="$(choose)"
fi
if [ -z "$python" ]; then
  echo "Python 3.11 or newer is needed; choose a newer base image." >&2
  exit 1
fi
install() {
  "$python" -P -m pip install --quiet --disable-pip-version-check --target "$root/site" "$@"
}
has_libraries() {
  "$python" -P -c 'import babel, click, google_crc32c, jinja2, numpy, PIL, pydantic, pypdfium2, Stemmer' &&
    "$python" -P -c 'import sqlalchemy, yaml'
}
rm -rf "$root/site"
if [ -d "$source/wheels" ]; then
  install --no-index --find-links "$source/wheels" "$source/@WHEEL@"
elif has_libraries 2>/dev/null; then
  install --no-index --no-deps "$source/@WHEEL@"
else
  install "$source/@WHEEL@"
fi
echo "$python" > "$root/python"
