#!/bin/sh
# Installs what WeasyPrint needs of the system where that is allowed, and says what to run where it is not.
# Pango lays out text; HarfBuzz's subsetter makes PDFs in less than half the time.
set -u

packages=""
for pair in pango-1.0:libpango-1.0-0 pangoft2-1.0:libpangoft2-1.0-0 harfbuzz-subset:libharfbuzz-subset0; do
    python3 -c "import ctypes.util, sys; sys.exit(ctypes.util.find_library('${pair%%:*}') is None)" 2>/dev/null ||
        packages="$packages ${pair##*:}"
done
[ -z "$packages" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "For PDFs, install Pango and HarfBuzz (see https://doc.courtbouillon.org/weasyprint/stable/first_steps.html)."
    echo "Grades are written without them; only the PDFs are not."
    exit 0
fi

if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    sudo="sudo -n"
else
    echo "For PDFs, run: sudo apt-get install -y$packages"
    echo "Grades are written without them; only the PDFs are not (or more slowly)."
    exit 0
fi

echo "Installing for PDFs:$packages"
# shellcheck disable=SC2086 # both are lists of words
{ $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $packages; } >/dev/null 2>&1 ||
    echo "That failed. For PDFs, run: sudo apt-get update && sudo apt-get install -y$packages"
exit 0
