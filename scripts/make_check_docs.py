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
_NOTHING: Final = "nothing."
_SHORTEST_EXAMPLE: Final = 40
"""A shorter example, such as `options.topic = "r"`, adds nothing."""
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
# Checks

A check decides an item of a lab. A *watch* looks at a submission as a whole and decides nothing;
its place in `lab.toml` is `[[watches]]`.

- **Decides** says which answers get a verdict; **Review** lists answers that go to review.
- After an option's name stand its type and its default. `*` marks required options, and `a|b` a choice. If no type
  follows, an option is a string, and a list holds strings.
- [Words](lab-reference.md#words) also match longer words that begin with them, and parts after a hyphen: `"param"`
  matches *parameters* and *hyper-parameters*.
- Any one word of a list is enough. Of a list of lists, each list counts: `[["overfit", "over-fit"], ["data"]]` asks
  for one of the first two words and for *data*.
- Each entry of `wrong` has `why`, the explanation for students. With a `share`, the answer is `partial` and earns
  this share of the points. Otherwise it is `incorrect`.
- An answer is `missing` only if everything was read, no picture stands where it could be, and nothing mentions the
  subject.
"""


_COMMON: Final = """\
`experiment`, `model` and conventions (ways of counting) are ids of the lab. `measure` and `split` select what is asked
for, if not the usual. With `require_split`, results on the split for selection are `partial`.
"""
_SAID_ONCE: Final = re.compile(
    r": (the experiment|the model|what is asked for, if not .*|the split that is required; .*)\.$", re.MULTILINE
)
"""What docstrings say of options that `_COMMON` explains."""


def page() -> str:
    """The whole page."""
    general = [*_GENERAL, "by-hand", "short-answer"]
    others = [name for name in CHECKS if name not in general]
    parts = [_INTRO, f"{_GENERAL_HEAD}\n", *(check_section(CHECKS[name]) for name in general)]
    parts += ["## For models, training and code\n", _COMMON, *(check_section(CHECKS[name]) for name in others)]
    return "\n".join(parts)


def check_section(check: Check) -> str:
    """The part of the page about one check."""
    sections = sections_of(check)
    where = "" if check.decides else " It is a watch."
    lines = [f"### `{check.name}`\n", f"{check.sentence}{where}\n"]
    if len(check.one_of) > 1:
        names = [
            ", ".join(f"`{name}`" for name in each.split("|")) + " or both" * ("|" in each) for each in check.one_of
        ]
        lines.append(f"Give exactly one of these: {'; '.join(names)}.\n")
    lines += [_with_kinds(sections[""], check)] if sections[""] else []
    lines += [f"**Decides:** {sections[DECIDES]}\n"]
    lines += [f"**Review:** {sections[LEAVES]}\n"] if sections[LEAVES] != _NOTHING else []
    example = example_of(check)
    is_plain = len(example) < _SHORTEST_EXAMPLE
    return "\n".join([*lines, *([f"```toml\n{example}\n```\n"] if not is_plain else [])])


def sections_of(check: Check) -> dict[str, str]:
    """The parts of a docstring behind its first line, by how they begin; what stands before the first is under ""."""
    text = (inspect.getdoc(check.function) or "").partition("\n")[2].strip()
    pieces = re.split(rf"^({DECIDES}|{LEAVES}|{EXAMPLE})", text, flags=re.MULTILINE)
    found = {"": pieces[0].strip() + "\n" if pieces[0].strip() else ""}
    for head, body in zip(pieces[1::2], pieces[2::2], strict=True):
        found[head] = textwrap.dedent(body.strip("\n")).strip() if head == EXAMPLE else _unwrapped(body)
    return found


def _unwrapped(text: str) -> str:
    """A text with each paragraph in one line; tables keep their lines."""
    paragraphs = (paragraph.strip() for paragraph in text.strip().split("\n\n"))
    return "\n\n".join(part if part.startswith("|") else " ".join(part.split()) for part in paragraphs)


def example_of(check: Check) -> str:
    """Options as a lab sets them: those of the docstring, else those of a shipped lab that asks for the check."""
    example = sections_of(check).get(EXAMPLE)
    options = tomllib.loads(example) if example else _shipped(check.name)
    return "\n".join(f"options.{name} = {toml(value)}" for name, value in options.items())


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
        inner = ", ".join(f"{_key(name)} = {toml(entry)}" for name, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        inner = ", ".join(toml(element) for element in value)
        if len(inner) > 90:
            return "[\n" + "".join(f"    {toml(element)},\n" for element in value) + "]"
        return f"[{inner}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    return str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def _with_kinds(options_text: str, check: Check) -> str:
    """The list of a check's options with the kind and the default of each behind its name."""
    hints = get_type_hints(check.function)
    kinds = {option.name.rstrip("_"): _kind(option, check, hints[option.name]) for option in check.options.values()}
    head = re.compile(r"(^- |\.\s+|, )`(\w+)`(?=[:,])", re.MULTILINE)
    shown = head.sub(lambda found: f"{found[0]}{kinds.get(found[2], '')}", options_text)
    return _SAID_ONCE.sub("", shown)


def _kind(option: inspect.Parameter, check: Check, hint: Any) -> str:
    is_alternative = any(option.name in each.split("|") for each in check.one_of)
    if option.default is option.empty:
        return type_and_default(hint, is_required=not is_alternative)
    is_plain = is_alternative or isinstance(option.default, Mapping | tuple) or option.default in (None, "", False, 0)
    return type_and_default(hint, "" if is_plain else toml(option.default))


def type_and_default(annotation: Any, default: str = "", *, is_required: bool = False) -> str:
    """The text behind the name of an option or a key: a star where it is required, its type and its default."""
    kind = kind_of(annotation).replace("true or false or whole number or number or text", "any value")
    for long, short in _SHORT.items():
        kind = kind.replace(long, short)
    kind = re.sub(r"\{[^}]{60,}\}", "tables", kind).replace("list of tables", "tables")
    kind = re.sub(r"\{ (.+?) \}", r"`{\1}`", kind)
    kind = re.sub(r"(`[^`]+` or )+`", lambda choice: choice[0].replace("` or `", "|"), kind)
    parts = [] if kind == "text" or (default and "`" not in kind) else [kind]
    parts += [f"default `{default.strip(chr(34))}`"] if default else []
    note = f" ({', '.join(parts)})" if parts else ""
    return f"{STAR * is_required}{note}"


STAR: Final = "\\*"
"""The mark of what is required; escaped, since two of them in a line would emphasise what is between."""
_SHORT: Final = {
    "JsonValue": "any value",
    "any value or list[bool | int | float | str]": "any value",
    "list of list of text": "lists",
    "list of text": "list",
    "table of any value": "table",
    "table of text": "table",
    "table of list of any value": "table",
    "true or false": "boolean",
    "whole number": "integer",
}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
