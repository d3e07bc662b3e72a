"""Verify a lab's truth with several versions of the libraries, and write into docs/truths.md what was found:
`python -m scripts.truth_matrix --transformers 5.23.0 5.24.0 --peft 0.20.0 0.21.2`.

Each pair of versions gets an environment of its own, in a temporary folder, in which everything else is as here.
"""

import argparse
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


def verified(transformers: str, peft: str, lab: str) -> str:
    """What `grade truth verify` says with these versions."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        own = sysconfig.get_paths(vars={"base": folder, "platbase": folder})["purelib"]
        Path(own, "here.pth").write_text("\n".join((*filter(None, sys.path), str(ROOT))), encoding="utf-8")
        wanted = (f"transformers=={transformers}", f"peft=={peft}")
        subprocess.run((python, "-m", "pip", "install", "--quiet", "--no-deps", *wanted), check=True)  # noqa: S603
        command = (python, "-m", "grader", "truth", "verify", "--lab", lab)
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False).stdout  # noqa: S603


def summary(said: str) -> str:
    """The output of `grade truth verify` in a cell of a table."""
    lines = [line for line in said.splitlines() if line and not line.startswith(("Next:", "      "))]
    held = next((line for line in lines if line.startswith("The truth holds")), "")
    changed = [line.split(":")[0] for line in lines if ": frozen " in line and ", here " not in line]
    return (
        "holds"
        if held
        else f"{len(changed)} differences: {', '.join(changed[:6])}"
        if changed
        else "cannot be computed"
    )


def main() -> None:
    """Verify each pair of versions, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transformers", nargs="+", required=True)
    parser.add_argument("--peft", nargs="+", required=True)
    parser.add_argument("--lab", default="nlp-frameworks")
    asked = parser.parse_args()
    rows = ["| transformers | peft | `grade truth verify` |", "| --- | --- | --- |"]
    for transformers, peft in product(asked.transformers, asked.peft):
        said = verified(transformers, peft, asked.lab)
        print(f"transformers {transformers}, peft {peft}\n{said}", flush=True)
        rows.append(f"| {transformers} | {peft} | {summary(said)} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    table = "\n".join(rows)
    PAGE.write_text(f"{before}{BEGIN}\n{table}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
