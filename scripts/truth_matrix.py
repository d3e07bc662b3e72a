"""Verify a lab's truth with several versions of the libraries, and write into docs/truths.md what was found:
`python -m scripts.truth_matrix --transformers 5.23.0 5.24.0 --peft 0.20.0 0.21.2`.

Each pair of versions gets an environment of its own, in a temporary folder. Everything else is as here, but for
what these versions need otherwise. A pair takes about a minute.
"""

import argparse
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "truths.md"
BEGIN, END = "<!-- versions -->\n", "<!-- end -->\n"
DIFFERENCE = re.compile(r"(\S+) (\S*): frozen (.*), now (.*)")


def verify_versions(transformers: str, peft: str, lab: str) -> str:
    """Return the output of `grade truth verify` with these versions, or the end of an error."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        site_packages = sysconfig.get_paths(vars={"base": folder, "platbase": folder})["purelib"]
        Path(site_packages, "here.pth").write_text("\n".join((*filter(None, sys.path), str(ROOT))), encoding="utf-8")
        wanted = (f"transformers=={transformers}", f"peft=={peft}")
        subprocess.run((python, "-m", "pip", "install", "--quiet", *wanted), check=True)  # noqa: S603
        command = (python, "-m", "grader", "truth", "verify", "--lab", lab)
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)  # noqa: S603
        return done.stdout or done.stderr[-300:]


def summary(output: str) -> str:
    """The output of `grade truth verify` in words: what changed, or that nothing did."""
    differences = [match.groups() for line in output.splitlines() if (match := DIFFERENCE.fullmatch(line))]
    gone = [f"`{name}` is not there" for name, _, old, now in differences if (old, now) == ("present", "absent")]
    new = [f"`{name}` is new" for name, _, old, now in differences if (old, now) == ("absent", "present")]
    changed = [f"the {key} of `{name}` differ" for name, key, _, _ in differences if key]
    words = "; ".join((*gone, *new, *changed))
    holds = re.search(r"The truth holds: (.*)\.", output)
    return f"holds: {holds[1]}" if holds else words or f"cannot be computed: {output.strip().splitlines()[-1]}"


def main() -> None:
    """Verify each pair of versions, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transformers", nargs="+", required=True)
    parser.add_argument("--peft", nargs="+", required=True)
    parser.add_argument("--lab", default="nlp-frameworks")
    asked = parser.parse_args()
    found: dict[tuple[str, str], list[str]] = {}
    for transformers, peft in product(asked.transformers, asked.peft):
        output = verify_versions(transformers, peft, asked.lab)
        print(f"transformers {transformers}, peft {peft}\n{output}", flush=True)
        found.setdefault((peft, summary(output)), []).append(transformers)
    rows = ["| transformers | peft | `grade truth verify` |", "| --- | --- | --- |"]
    rows += [f"| {', '.join(versions)} | {peft} | {verdict} |" for (peft, verdict), versions in found.items()]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table = "\n".join(rows)
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
