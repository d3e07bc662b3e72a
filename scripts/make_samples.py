"""Make the files of the sample class and of the reference answers that are not written by hand.

Run from the checkout's root: `python -m scripts.make_samples`. Each folder in `scripts/samples/sources` with a
`hand-in.toml` is one hand-in: templates become notebooks, HTML becomes PDF, and the runs' numbers become event files.
"""

from pathlib import Path

from scripts.samples.experiment import HandIn, read_hand_in
from scripts.samples.hand_in_files import hand_in_files

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "scripts" / "samples" / "sources"


def hand_ins() -> list[HandIn]:
    """All hand-ins that are declared, in the order of their folders' names."""
    return [read_hand_in(declaration.parent) for declaration in sorted(SOURCES.glob("*/hand-in.toml"))]


def made_files() -> dict[str, bytes]:
    """Every made file by its path from the checkout's root."""
    return {path: content for hand_in in hand_ins() for path, content in hand_in_files(hand_in).items()}


def main() -> None:
    """Write every made file, and say how many there are."""
    made = made_files()
    for path, content in made.items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    print(f"{len(made)} files, {sum(map(len, made.values())):,} bytes")


if __name__ == "__main__":
    main()
