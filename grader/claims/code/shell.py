"""Read shell texts as commands, with quotes, continuations, variables and loops over written lists.

Scripts and settings files that a cell writes itself are read as well.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, takewhile
from typing import Final, NamedTuple

from grader.claims.code.model import HOLE, Command, EvaluatedCall, Piece
from grader.claims.code.shell_liveness import Token, with_idle_marked, without_documents
from grader.claims.code.values import Hole, Value, is_known, text_of

MOST_CHARACTERS: Final = 20_000
MOST_COMMANDS: Final = 60
_DEEPEST: Final = 4
_ENDS: Final = frozenset({";", "&&", "||", "|", "&", "(", ")", ";;", "|&"})
_WRITING: Final = frozenset({">", ">>", ">|"})
_REDIRECTS: Final = _WRITING | {"<", ">&", "&>", "<<", "<<<"}
_OPENING: Final = frozenset(
    {"do", "then", "else", "time", "sudo", "nohup", "exec", "{", "!", "while", "if", "elif", "env"}
)
_CLOSING: Final = frozenset({"done", "fi", "}", "esac"})
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "ksh", "dash"})
_TEXT_OPTION: Final = re.compile(r"-[a-z]{0,5}c")
_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w{0,60})\+?=(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(
    r"\$\{([A-Za-z_]\w{0,60})(?:[:\[][^{}]{0,60})?\}|\$([A-Za-z_]\w{0,60})|\$\(\([^()]{0,200}\)\)"
)
_BRACED: Final = re.compile(r"\$?\{([^{}\n]{1,200})\}")
_PYTHON_VARIABLE: Final = re.compile(r"(?<![\\$])\$([A-Za-z_]\w{0,60})")
_RANGE: Final = re.compile(r"\{(\d{1,4})\.\.(\d{1,4})\}")
_NO_NAME: Final = re.compile(r"[^\w.]")

_COUNTED: Final = re.compile(r"(?:\$\(|`)[ ]{0,5}seq[ ]{1,5}(\d{1,4})(?:[ ]{1,5}(\d{1,4}))?[ ]{0,5}[)`]")
_STEPPED: Final = re.compile(
    r"for[ ]{0,5}\(\([ ]{0,5}([A-Za-z_]\w{0,60})[ ]{0,5}=[ ]{0,5}(\d{1,4})[ ]{0,5};[ ]{0,5}\w{1,60}[ ]{0,5}(<=?)"
    r"[ ]{0,5}(\d{1,4})[ ]{0,5};[^()\n]{0,60}\)\)"
)
_LIST: Final = re.compile(r"(?m)^([ \t]{0,40})([A-Za-z_]\w{0,60})=\(([^()\n\"']{0,300})\)")

_SCRIPTS: Final = (".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".pbs")
_SHEBANG: Final = re.compile(r"#! ?\S{0,60}[/ ](?:env )?(?:ba|z|k|da)?sh\b")
_MAKEFILES: Final = ("makefile", "gnumakefile")
_MAKE_SET: Final = re.compile(r"(?:export )?([A-Za-z_]\w{0,60})[ ]{0,20}(\?|:{0,2}|\+)=[ ]{0,20}(.*)")
_MAKE_NAME: Final = re.compile(r"\$[({]([A-Za-z_]\w{0,60})[)}]")
_MAKE_CALL: Final = re.compile(r"\$\([^()]{0,500}\)")
_MOST_NESTED: Final = 5

Variables = dict[str, str]


def interpolate_values(text: str, value_of: Callable[[str], Value], names: Mapping[str, Value]) -> str:
    """Return a notebook's shell line with the values that Python inserts: `{expression}` and `$name`."""

    def braced(match: re.Match[str]) -> str:
        value = value_of(match[1])
        return text_of(value) if value is not None else match.group()

    def variable(match: re.Match[str]) -> str:
        known_name = next((name for name in (match[1], f"${match[1]}") if name in names), None)
        return text_of(names[known_name]) if known_name else match.group()

    filled = _PYTHON_VARIABLE.sub(variable, _BRACED.sub(braced, text[:MOST_CHARACTERS]))
    return HOLE.sub(lambda hole: f"⟨{_NO_NAME.sub('_', hole[1])}⟩", filled)


def script_text(path: str, source: str) -> str | None:
    """Return the shell text of a script or Makefile, recognised by its name or first line, or None. Lines keep their
    numbers."""
    name = path.rpartition("/")[2].lower()
    if name in _MAKEFILES or name.endswith(".mk"):
        return "\n".join(_recipe_lines(source[:MOST_CHARACTERS]))
    return source if name.endswith(_SCRIPTS) or _SHEBANG.match(source) else None


def _recipe_lines(source: str) -> Iterator[str]:
    """Return a Makefile's recipes and variables as shell lines. Variables that a call of make may set are unknown."""
    in_recipe = goes_on = False
    for line in source.split("\n"):
        in_recipe = in_recipe if goes_on else line.startswith("\t")
        given = None if goes_on else _MAKE_SET.match(line)
        if in_recipe:
            yield _of_shell(line if goes_on else line.lstrip("\t@-+ "))
        elif given:
            value = f"⟨{given[1]}⟩" if given[2] in ("?",) else _of_shell(given[3].partition("#")[0].rstrip())
            yield f'{given[1]}="{value}"' if "$" in value else f"{given[1]}={shlex.quote(value)}"
        else:
            yield ""
        goes_on = line.endswith("\\")


def _of_shell(text: str) -> str:
    """Return a text of a Makefile with shell variables. Values that make computes are unknown."""
    text = _MAKE_NAME.sub(r"${\1}", text)
    for _ in range(_MOST_NESTED):
        text = _MAKE_CALL.sub("⟨…⟩", text)
    return text.replace("$$", "$")


class ShellCommand(NamedTuple):
    """A command of a shell text: its line, numbered from 0, its words, and the files for its output.

    `is_idle`: it cannot have run. `script` is the file to which it is only written.
    """

    line: int
    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    is_idle: bool = False
    script: str = ""


def commands_in(text: str, variables: Variables) -> list[ShellCommand]:
    """Yield the commands of a shell text.

    Assignments change `variables`. A loop over a written list counts once per iteration. An unknown variable stays as
    `⟨name⟩`.
    """
    text, documents = without_documents(_plain_loops(text[:MOST_CHARACTERS]))
    found = list(islice(_commands(_tokens_of(text), variables, 0), MOST_COMMANDS))
    for document in documents:
        inner = _commands(_tokens_of(document.text, document.line), dict(variables), 1)
        found += (made._replace(is_idle=True, script=document.file) for made in islice(inner, MOST_COMMANDS))
    return found


def _tokens_of(text: str, first: int = 0) -> list[Token]:
    """Return the tokens of a shell text that begins on a line, with those marked that cannot run."""
    found = [Token(first + number, word) for number, line in _logical(text) for word in (*_tokens(line), ";")]
    return with_idle_marked(found)


def _plain_loops(text: str) -> str:
    """Return a text with counted loops and lists in the simplest form: `{0..2}` for `$(seq 0 2)` and `((i=0; i<3;
    i++))`."""

    def counted(match: re.Match[str]) -> str:
        first, last = (match[1], match[2]) if match[2] else ("1", match[1])
        return f"{{{first}..{last}}}"

    def stepped(match: re.Match[str]) -> str:
        last = int(match[4]) - (match[3] == "<")
        return f"for {match[1]} in {{{match[2]}..{last}}}"

    return _LIST.sub(r'\1\2="\3"', _STEPPED.sub(stepped, _COUNTED.sub(counted, text)))


def _logical(text: str) -> Iterator[tuple[int, str]]:
    """Return lines joined with their continuations and the rest of quoted texts, each with the number of its first
    line."""
    lines = enumerate(_with_quotes_closed(text.split("\n")))
    for start, line in lines:
        parts = [line]
        while parts[-1].rstrip().endswith("\\"):
            parts[-1] = parts[-1].rstrip().removesuffix("\\")
            _, following = next(lines, (start, ""))
            parts.append("" if following.lstrip().startswith("#") else following)
        yield start, " ".join(parts)


_QUOTES: Final = re.compile(r"""\\.|(?<!\S)#[^\n]*|'[^']*'|"(?:\\.|[^"\\])*"|(['"])""", re.DOTALL)
_LONGEST_QUOTED: Final = 200


def _with_quotes_closed(lines: list[str]) -> list[str]:
    """Return the lines with each quoted text moved to its first line, and empty lines in place of the others.

    A quote that is never closed is an ordinary character.
    """
    found = list(lines)
    for start in range(len(found)):
        if not _is_open(found[start]):
            continue
        for end in range(start + 1, min(len(found), start + _LONGEST_QUOTED)):
            joined = "\n".join(found[start : end + 1])
            if not _is_open(joined):
                found[start : end + 1] = [joined, *("" for _ in range(end - start))]
                break
    return found


def _is_open(text: str) -> bool:
    """Whether a text contains a quote that is not closed."""
    return any(match[1] for match in _QUOTES.finditer(text))


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return _uncommented(list(lexer))
    except ValueError:
        return _uncommented(line.split())


def _uncommented(words: list[str]) -> list[str]:
    return list(takewhile(lambda word: not word.startswith("#"), words))


def _commands(tokens: Sequence[Token], variables: Variables, depth: int) -> Iterator[ShellCommand]:
    index, deeper = 0, depth + 1
    while index < len(tokens):
        number, word, is_idle = tokens[index]
        if word in _ENDS or word in _OPENING or word in _CLOSING:
            index += 1
        elif word == "for" and depth < _DEEPEST:
            end = _loop_end(tokens, index)
            yield from _loop(tokens[index:end], variables, deeper)
            index = end + 1
        else:
            end = next((at for at in range(index, len(tokens)) if tokens[at].word in _ENDS), len(tokens))
            written_words = [token.word for token in tokens[index:end]]
            words = _command(written_words, variables)
            inner = _given_text(words) if depth < _DEEPEST else None
            if inner is not None:
                held = [Token(number, token.word, is_idle or token.is_idle) for token in _tokens_of(inner)]
                yield from _commands(held, variables, deeper)
            elif words:
                yield ShellCommand(number, words, _outputs(written_words, variables), is_idle)
            index = end


def _given_text(words: Sequence[str]) -> str | None:
    """Return the shell text that is an argument of a shell: `bash -c 'text'`, `eval text`."""
    match words:
        case ["eval", *rest]:
            return " ".join(rest)
        case [shell, option, text, *_] if shell.rpartition("/")[2] in _SHELLS and _TEXT_OPTION.fullmatch(option):
            return text
    return None


def _loop_end(tokens: Sequence[Token], start: int) -> int:
    """Return the index of the `done` that closes a loop."""
    depth = 0
    for index, (_, word, _) in enumerate(tokens[start:], start):
        depth += (word in ("for", "while", "until")) - (word in ("done",))
        if depth == 0:
            return index
    return len(tokens)


def _loop(tokens: Sequence[Token], variables: Variables, depth: int) -> Iterator[ShellCommand]:
    header = [candidate.word for candidate in takewhile(lambda token: token.word not in ("do",), tokens)]
    values: list[str] = []
    match header:
        case [_, variable, "in", *words]:
            values = [text for word in words if word not in (";",) for text in _expanded(_filled(word, variables))]
        case [_, variable, *_]:
            pass
        case _:
            return
    if not values or not all(map(_is_plain, values)):
        values = [f"⟨{variable}⟩"]
    for value in values[:MOST_COMMANDS]:
        variables[variable] = value
        yield from _commands(tokens[len(header) :][1:], variables, depth)


def _is_plain(value: str) -> bool:
    return is_known(value) and "$" not in value and "`" not in value


def _expanded(word: str) -> list[str]:
    """Return the words over which a loop runs for one word: a range of numbers, or the word itself."""
    found = _RANGE.fullmatch(word)
    if found:
        return [str(number) for number in islice(range(int(found[1]), int(found[2]) + 1), MOST_COMMANDS)]
    return word.split()


def _command(words: list[str], variables: Variables) -> tuple[str, ...]:
    """Return the words of a command without redirections, with variables filled in. Assignments are recorded."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _REDIRECTS:
            skip = True
            if kept and kept[-1] in ("0", "1", "2"):
                kept.pop()
        else:
            kept.append(word)
    while kept and (kept[0] in ("export", "local", "declare", "readonly") or _ASSIGNED.fullmatch(kept[0])):
        found = _ASSIGNED.fullmatch(kept.pop(0))
        if found:
            variables[found[1]] = _filled(found[2], variables)
    return tuple(part for word in kept for part in _worded(word, variables))


def _outputs(words: Sequence[str], variables: Variables) -> tuple[str, ...]:
    """Return the files to which a command's output is redirected, without those for errors (`2>`)."""
    return tuple(
        _filled(target, variables)
        for index, (sign, target) in enumerate(pairwise(words))
        if sign in _WRITING and words[index - 1 : index] != ["2"]
    )


def _worded(word: str, variables: Variables) -> list[str]:
    """Return a word with its variables filled in. A single variable may stand for several words."""
    filled = _filled(word, variables)
    return filled.split() if word.startswith("$") and filled != word and " " in filled else [filled]


def _filled(word: str, variables: Variables) -> str:
    def known(match: re.Match[str]) -> str:
        name = match[1] or match[2] or "…"
        return variables.get(name, f"⟨{name}⟩")

    return _VARIABLE.sub(known, word)[:MOST_CHARACTERS]


_WRITES: Final = re.compile(
    r"\s{0,20}%%\s?(?:writefile|file)[ \t]+(?:-a[ \t]+)?(\S{1,200}\.(?:sh|bash|py))[ \t]*(?:\n|$)"
)
_MOST_SCRIPTS: Final = 20
_LOOKING: Final = frozenset({"cat", "chmod", "ls", "head", "tail", "echo", "rm", "cp", "mv", "wc", "less", "dos2unix"})


def with_scripts(sources: Sequence[str], commands: Sequence[list[Command]]) -> list[list[Command]]:
    """Return the commands of each cell. Those of a script also count where it is run, in the cell that writes it or
    below."""
    found = [[*own_commands] for own_commands in commands]
    for home, name, held in islice(_scripts(sources, commands), _MOST_SCRIPTS):
        for later in range(home, len(sources)):
            if any(_names(command, name) for command in commands[later] if not command.is_idle):
                found[later] += [command.model_copy(update={"is_idle": False, "script": ""}) for command in held]
    return found


def _scripts(sources: Sequence[str], commands: Sequence[list[Command]]) -> Iterator[tuple[int, str, Sequence[Command]]]:
    """Yield the scripts that cells write: the cell, the file, and the commands."""
    for home, source in enumerate(sources):
        match = _WRITES.match(source)
        if match:
            yield home, match[1].rpartition("/")[2], commands[home]
        for name in dict.fromkeys(command.script for command in commands[home] if command.script):
            yield home, name, [command for command in commands[home] if command.script == name]


def _names(command: Command, script: str) -> bool:
    return any(word.rpartition("/")[2] == script for word in command.words[:3]) and command.words[0] not in _LOOKING


Settings = Mapping[str, tuple[str, ...]]
"""The options in a settings file, as words of a command line, by the name of the file."""

_KINDS: Final = (".json", ".yaml", ".yml")
_MAGIC: Final = re.compile(r"\s*%%\s?(?:writefile|file)[ \t]+(?:-a[ \t]+)?(\S{1,200})[ \t]*\n")
_OPENED: Final = re.compile(r"open\('([^']{1,200})'")
_LINE: Final = re.compile(r"(?m)^([A-Za-z_]\w{0,60}):[ \t]{0,20}([^\s#][^\n#]{0,200})")
_LONGEST: Final = 20_000
_MOST: Final = 200
_UNKNOWN: Final = "⟨…⟩"


def settings_files(pieces: Iterable[Piece], calls: Iterable[Sequence[EvaluatedCall]]) -> Settings:
    """Return the files written by `%%writefile`, or by `dump` of a dictionary with known values."""
    found: dict[str, dict[str, str]] = {}
    for piece in pieces:
        magic = _MAGIC.match(piece.source[:_LONGEST])
        if magic and magic[1].endswith(_KINDS):
            _add(found, magic[1], _parsed(piece.source[magic.end() : _LONGEST]))
    for called in (candidate for some in calls for candidate in some):
        match called.name, called.given:
            case "dump" | "safe_dump", [dict(table), Hole(source), *_] if opened := _OPENED.search(source):
                _add(found, opened[1], table)
    return {name: tuple(word for pair in options.items() for word in pair if word) for name, options in found.items()}


def _add(found: dict[str, dict[str, str]], path: str, table: Mapping[object, object]) -> None:
    """Add a file's options. A value that differs from an earlier one is unknown."""
    options = found.setdefault(_base(path), {})
    for name, value in _options(table):
        options[name] = value if options.get(name, value) == value else _UNKNOWN


def with_settings(words: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    """Return the words of a command, followed by the content of the settings files among them."""
    return (*words, *(more for word in words if word.endswith(_KINDS) for more in settings.get(_base(word), ())))


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _parsed(text: str) -> Mapping[object, object]:
    """Return a dictionary in JSON, or the plain lines of one in YAML."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {match[1]: match[2].strip().strip("'\"") for match in _LINE.finditer(text)}
    return found if isinstance(found, dict) else {}


def _options(table: Mapping[object, object]) -> Iterator[tuple[str, str]]:
    for name, value in islice(table.items(), _MOST):
        if isinstance(value, bool):
            yield from ((f"--{name}", ""),) if value else ()
        elif isinstance(value, str | int | float | Hole):
            yield f"--{name}", text_of(value) if is_known(value) else _UNKNOWN
