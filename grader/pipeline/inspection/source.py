"""A lab's `lab.toml` as text, as plain data, and with the lines of its keys."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.lab.toml_lines import TomlLines
from grader.message import say
from grader.pipeline.inspection.problem import Problem, error

LAB: Final = "lab.toml"


class Source(NamedTuple):
    """What `lab.toml` says, and where."""

    data: dict[str, Any]
    lines: TomlLines

    def item(self, id_: str, *keys: str) -> int | None:
        """The line of a key of an item, or of the item."""
        for number, question in enumerate(self.data.get("questions", [])):
            for index, item in enumerate(question.get("items", [])):
                if item.get("id") == id_:
                    return self.lines.of("questions", number, "items", index, *keys)
        return None

    def entry(self, array: str, id_: str, *keys: str) -> int | None:
        """The line of a key of an entry of an array of tables, such as an experiment, by the entry's id."""
        for number, entry in enumerate(self.data.get(array, [])):
            if entry.get("id") == id_:
                return self.lines.of(array, number, *keys)
        return None


def read_source(folder: Path, file: str = LAB) -> Source | Problem:
    """A TOML file of a lab, or why it cannot be read."""
    try:
        text = (folder / file).read_bytes().decode("utf-8").replace("\r\n", "\n")
        return Source(tomllib.loads(text), TomlLines(text))
    except OSError as failure:
        return error(file, None, say("The file cannot be read ({reason}).", reason=failure.strerror or ""))
    except UnicodeDecodeError:
        return error(file, None, say("The file is not UTF-8 text; save it as UTF-8."))
    except (tomllib.TOMLDecodeError, RecursionError) as failure:
        at = re.search(r"at line (\d+)", str(failure))
        said = say("This is not valid TOML: {reason}. Mend this place.", reason=str(failure))
        return error(file, int(at[1]) if at else None, said)
