"""Write docs/checks.md from the checks' docstrings and signatures: `python -m scripts.make_check_docs`.

A docstring holds a sentence, paragraphs about the options, `Decides:`, `Leaves to people:`, and an example in TOML.
Where it has none, the example is that of a shipped lab.
"""

import inspect
import re
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_type_hints

from grader.checks.check import Check
from grader.checks.registry import CHECKS
from grader.lab.files import LABS
from grader.lab.kinds import kind_of

PAGE: Final = Path(__file__).parents[1] / "docs" / "checks.md"
DECIDES: Final = "Decides:"
LEAVES: Final = "Leaves to people:"
EXAMPLE: Final = "Example:"
_GENERAL: Final = (
    "numeric-answer",
    "formula-answer",
    "size-answer",
    "choice",
    "table",
    "printed-value",
    "contains",
    "section-present",
    "figure-present",
)
_GENERAL_HEAD: Final = "## For any course"
_INTRO: Final = """\
# The checks

Every check, its options, an example, what it decides and what it leaves to people. This page is made from the checks
themselves (`make checks`). An item of a lab names its check and sets the options
([how](new-lab.md), [every other key](lab-reference.md)):

```toml
[[questions.items]]
id = "p1.entropy"
title = "The entropy of the coin"
points = "2"
check = "numeric-answer"
options.value = 0.811
```

What a check decides is shown with the place where the answer stands. An answer is `missing` only where all was read, no
picture stands where it could be, and nothing speaks of it; all else that is not certain goes to a person.
"""


def page() -> str:
    """The whole page."""
    general = [*_GENERAL, "by-hand", "short-answer"]
    others = [name for name in CHECKS if name not in general]
    parts = [_INTRO, f"{_GENERAL_HEAD}\n", *(described(CHECKS[name]) for name in general)]
    parts += ["## For models, training and code\n", *(described(CHECKS[name]) for name in others)]
    return "\n".join(parts)


def described(check: Check) -> str:
    """The part of the page about one check."""
    told = sections_of(check)
    where = "" if check.decides else " It watches the hand-in as a whole, under `[[watches]]`.\n"
    lines = [f"### `{check.name}`\n", f"{check.sentence}{where}\n", *_options(check), *([told[""]] if told[""] else [])]
    lines += [f"**Decides:** {told[DECIDES]}\n", f"**Leaves to people:** {told[LEAVES]}\n"]
    return "\n".join([*lines, f"```toml\n{example_of(check)}\n```\n"])


def sections_of(check: Check) -> dict[str, str]:
    """The parts of a docstring behind its first line, by how they begin; what stands before the first is under ""."""
    text = (inspect.getdoc(check.function) or "").partition("\n")[2].strip()
    pieces = re.split(rf"^({DECIDES}|{LEAVES}|{EXAMPLE})", text, flags=re.MULTILINE)
    found = {"": pieces[0].strip() + "\n" if pieces[0].strip() else ""}
    for head, body in zip(pieces[1::2], pieces[2::2], strict=True):
        found[head] = textwrap.dedent(body.strip("\n")).strip() if head == EXAMPLE else " ".join(body.split())
    return found


def example_of(check: Check) -> str:
    """Options as a lab sets them: those of the docstring, else those of a shipped lab that asks for the check."""
    own = sections_of(check).get(EXAMPLE)
    options = tomllib.loads(own) if own else _shipped(check.name)
    return "\n".join([f'check = "{check.name}"', *(f"options.{name} = {toml(one)}" for name, one in options.items())])


def _shipped(name: str) -> dict[str, Any]:
    for path in sorted(LABS.glob("*/lab.toml"), reverse=True):
        lab = tomllib.loads(path.read_text(encoding="utf-8"))
        items = [item for question in lab["questions"] for item in question["items"]]
        for asked in (*items, *lab.get("watches", ())):
            if asked["check"] == name:
                return dict(asked.get("options", {}))
    return {}


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(name)} = {toml(one)}" for name, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        inner = ", ".join(toml(one) for one in value)
        if len(inner) > 90:
            return "[\n" + "".join(f"    {toml(one)},\n" for one in value) + "]"
        return f"[{inner}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def _options(check: Check) -> list[str]:
    hints = get_type_hints(check.function)
    options = list(check.options.values())
    if not options:
        return []
    rows = [f"| `{one.name.rstrip('_')}` | {kind_of(hints[one.name])} | {_default(one, check)} |" for one in options]
    return ["| option | kind | default |\n| --- | --- | --- |\n" + "\n".join(rows) + "\n"]


def _default(one: inspect.Parameter, check: Check) -> str:
    alternatives = [f"`{name}`" for each in check.one_of for name in each.split("|")]
    if f"`{one.name}`" in alternatives:
        return f"one of {', '.join(alternatives[:-1])} and {alternatives[-1]}"
    if one.default is one.empty:
        return "needed"
    if isinstance(one.default, tuple) and one.default:
        return ", ".join(f"`{part}`" for part in one.default)
    is_none = one.default is None or one.default == "" or isinstance(one.default, tuple | Mapping)
    return "none" if is_none else f"`{toml(one.default)}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
