"""The check `steps-ran`: the steps of a task are there and ran.

A step is proven by its output, or by a cell that ran without error.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, pairwise, product
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.checks.absence import Absence, absence, concluded_absent
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.feedback import GAP, UNSHOWN, Reason, left_to_person
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.claims.answer import Answer, Kind
from grader.claims.code import CodeCell, Command
from grader.claims.code.shell import script_text
from grader.claims.commitment import of_statement
from grader.claims.passage import Passage
from grader.claims.statements import Statement, is_doubtful, plainest_saying, speaks_of, statements
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.language import lexicon
from grader.message import Message, Words, join_messages, say, say_data
from grader.reading.document import BlockKind, Evidence

_MOST: Final = 200_000


_LONGEST_LINE: Final = 1_000


_LOGGED: Final = re.compile(r"(\d{1,9}) sents, (\d{1,12}) tokens, (\d{1,3}(?:\.\d{1,9})?)% replaced")


_FAILED: Final = re.compile(
    r"command not found|No such file or directory|No module named|can't open file|Permission denied"
    r"|error: (?:unrecognized|the following|argument|invalid)|Traceback \(most recent call last\)"
)


_LONGEST: Final = 300


def failure(cell: CodeCell) -> str | None:
    """Return the line that reports the error in which a cell ended, or None."""
    if cell.error:
        return cell.error[:_LONGEST]
    output = cell.output[:_MOST]
    found = _FAILED.search(output)
    if found is None or _LOGGED.search(output):
        return None
    line = output[: found.start()].rpartition("\n")[2] + output[found.start() :].partition("\n")[0]
    return line.strip()[:_LONGEST]


class _Line(NamedTuple):
    """A printed line."""

    text: str
    evidence: Evidence


class _Lookup(NamedTuple):
    """The tokens of a file that a dictionary does not know, by the last line of output about the file; `share` is in
    percent."""

    sentences: int
    tokens: int
    share: float
    evidence: Evidence

    def is_of_words(self) -> bool:
        """Whether sentences were looked up. A label has one token and an end sign."""
        return self.tokens > 2 * self.sentences


def _printed_lines(answer: Answer, wanted: re.Pattern[str]) -> Iterator[_Line]:
    """Yield the lines of output in cells, logs and texts that match a pattern, except text in the cell's own code."""
    for cell in answer.code:
        for line in _wanted(cell.output, wanted).values():
            if line not in cell.source:
                yield _Line(line, Evidence(file=cell.file, cell=cell.cell, quote=line[:_LONGEST]))
    for printout in answer.printed:
        for number, line in _wanted(printout.text, wanted).items():
            yield _Line(line, Evidence(file=printout.file, line=printout.line + number, quote=line[:_LONGEST]))


def _wanted(text: str, wanted: re.Pattern[str]) -> dict[int, str]:
    """Return the lines that match a pattern, by number from 0."""
    if not wanted.search(text[:_MOST]):
        return {}
    lines = ((number, line[:_LONGEST_LINE].strip()) for number, line in enumerate(text[:_MOST].split("\n")))
    return {number: line for number, line in lines if wanted.search(line)}


def _lookups(lines: Iterable[_Line]) -> Iterable[_Lookup]:
    """Return the last lookup of each file in some lines."""
    found: dict[str, _Lookup] = {}
    for line in lines:
        match = _LOGGED.search(line.text)
        if match:
            named = line.text[: match.start()].rpartition("]")[2]
            found[named] = _Lookup(int(match[1]), int(match[2]), float(match[3]), line.evidence)
    return found.values()


_MOST_OUTPUT: Final = 20_000


_MOST_NEEDED: Final = 5


_MOST_LINES: Final = 5_000


_RULE: Final = re.compile(r"([^\s:#=][^:#=]{0,200}):(?!=)([^=;#]*)")


_WRITTEN: Final = re.compile(r"\s*%%\s?(?:writefile|file)[ \t]+(?:-a[ \t]+)?(?:\S*/)?([^\s/]+)")


_SHELL_SCRIPTS: Final = (".sh", ".bash")


_SHELLS: Final = frozenset({"sh", "bash", "zsh", "source", "."})


_UNKNOWN: Final = frozenset("$@{⟨…")


_NO_STEPS: Final = ("import", "from", "print", '"', "'", "echo", "pip", "apt", "which", "man ")
"""Beginnings of lines that name a step without executing it."""


_STARTING: Final = frozenset(
    {"system", "run", "Popen", "popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}
    | {"get_ipython", "run_cell_magic", "execute", "sh", "bash"}
)
"""Names of functions that start programs."""


class Step(Frozen):
    """A step of a task.

    `words` are programs, functions or classes, any of which executes the step. `options` are command-line options
    without which the programs do something else. `parts` are the parts of the data that the step must handle, each with
    its spellings. `prints` are lines that the programs print when they are done, with `*` for any text within a line;
    such a line proves the step. `looked_up`: a later step looks up the tokens of this one, and a small share of unknown
    tokens proves this step. `told` are further words by which a report mentions the step.
    """

    title: str
    words: tuple[str, ...]
    options: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    prints: tuple[str, ...] = ()
    looked_up: bool = False
    told: tuple[str, ...] = ()

    def is_printed_in(self, text: str) -> bool:
        """Whether the step's programs print a line when they are done."""
        return any(_printed_as(line).search(text) for line in self.prints)


@cache
def _printed_as(words: str) -> re.Pattern[str]:
    """Return a pattern for a text in which `*` stands for anything."""
    return re.compile(".{0,300}?".join(map(re.escape, words.split("*"))))


def _logged_or_printed(steps: Sequence[Step]) -> re.Pattern[str]:
    """Return a pattern for the lines of logs and those that steps print."""
    prints = "|".join(_printed_as(line).pattern for step in steps for line in step.prints)
    return re.compile(f"{_LOGGED.pattern}|{prints}") if prints else _LOGGED


class _Found(NamedTuple):
    """A step with its evidence.

    `cells` contain it or run the script that does; cells that ran well come first. `proofs` are printed lines that
    prove the step, and `doubts` the evidence against it.
    """

    step: Step
    cells: tuple[CodeCell, ...]
    proofs: tuple[_Line, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    doubts: tuple[Diagnosis, ...] = ()
    is_done: bool = False
    """Whether later results show that the step was done."""

    @property
    def ran(self) -> bool:
        """Whether the step ran: its output or later results prove it, or a cell without gaps ran it without error."""
        if self.proofs or self.is_done:
            return True
        first = next(iter(self.cells), None)
        return first is not None and first.ran and not first.gaps and failure(first) is None

    @property
    def is_there(self) -> bool:
        return bool(self.cells or self.proofs)


@check("steps-ran", kinds=(Kind.CODE, Kind.PRINTED))
def steps_ran(
    answer: Answer, lab: Lab, *, item: str, steps: tuple[Step, ...], most_unknown: float | None = None
) -> Iterator[Conclusion]:
    """The commands of each step are there and ran.

    - `steps`: the steps. Each has a `title`, and `words` for its programs or functions. It may have command-line
      `options`, `parts` of the data that it must handle, lines that it `prints`, and words by which a report mentions
      it, `told`. With `looked_up = true`, it counts as run if a later step finds most of its tokens in a vocabulary.
    - `most_unknown`: the largest share of unknown tokens, in percent. With more, the vocabulary cannot be the model's.

    Decides: steps whose code ran or whose output is shown. Code without any of the steps is wrong. A report without
    code that mentions every step is `partial`.

    Leaves to people: steps without output, failed steps, and programs that were not handed in.

    Example:
        most_unknown = 10
        steps = [{ title = "tokenising", words = ["spm_encode", "encode_as_pieces"], told = ["sentencepiece"] }]
    """
    expected = ExpectedAnswer(text=join_messages(say("; "), (say_data(step.title) for step in steps)))
    finding = Finding(item=item, status=Status.REVIEW, expected=expected)
    lines = tuple(_printed_lines(answer, _logged_or_printed(steps)))
    is_given = _holds_options(answer, steps)
    found = [_found(step, answer, lines, most_unknown, is_given=is_given) for step in steps]
    if _is_report_alone(answer) and (report_finding := _of_report_alone(finding, answer, lab, found)):
        yield report_finding
    elif any(step.is_there for step in found):
        yield _concluded(finding, [_with_results(step, answer) for step in found], answer)
    elif answer.code and not answer.gaps:
        # The item asks for code. If code was handed in without a step, a description does not replace the step.
        yield _without_steps(finding, answer, steps)
    else:
        yield concluded_absent(finding, absence(answer, lab, item))


def _holds_options(answer: Answer, steps: Sequence[Step]) -> bool:
    """Whether code, output or report contain every option of every step."""
    texts = [text[:_MOST_OUTPUT] for cell in answer.code for text in (cell.source, cell.output)]
    texts += [printout.text[:_MOST_OUTPUT] for printout in answer.printed]
    texts += [section.passage.text for section in answer.written]
    return all(any(f"--{option}" in text for text in texts) for step in steps for option in step.options)


_SHOWN: Final = Reason(say("The report shows the commands of every step, but no output."))


_SHOWN_AND_TOLD: Final = say("The report shows the commands of every step and their results.")


_DONE: Final = say("The commands of every step are there, and the reported results need the data that they prepare.")


_ELSEWHERE: Final = Reason(say("There may be more of it elsewhere."))


def _of_report_alone(finding: Finding, answer: Answer, lab: Lab, found: Sequence[_Found]) -> Finding | None:
    """Return the finding if only a report was handed in that shows or describes the steps, or None."""
    if (shown := _only_shown(finding, answer, lab, found)) or any(found_step.is_there for found_step in found):
        return shown
    return _only_said(finding, answer, lab, [found_step.step for found_step in found])


def _without_commands(steps: Sequence[Step], text: str) -> Message:
    """Return the sentence about the steps of which a text shows no command."""
    written = {step: rf"(?:{'|'.join(map(re.escape, step.words))})\s*(?:\s--?[a-z]|\s<\s|\()" for step in steps}
    hidden = [say_data(step.title) for step in steps if not re.search(written[step], text)]
    if 0 < len(hidden) < len(steps):
        return say("Described, but without its command: {names}.", names=join_messages(", ", hidden))
    return UNSHOWN


def _only_said(finding: Finding, answer: Answer, lab: Lab, steps: Sequence[Step]) -> Finding | None:
    """Return the finding if a report only says that each step was taken, or None.

    It goes to review if the report refers to further material, or if unread parts may contain some.
    """
    passages = [section.passage for section in answer.written if not section.is_closing]
    quotation = next(chain.from_iterable(_telling(passage, steps) for passage in passages), None)
    if quotation is None:
        return None
    place, around = quotation
    other = absence(answer, lab, finding.item)
    is_pointed_to = lexicon.names(around, "see", "shown_elsewhere", "program")
    words = [word for step in steps for word in step.words]
    whole = " ".join(passage.text for passage in passages)
    is_elsewhere = sum(map(whole.count, words)) > sum(map(around.count, words))  # perhaps in a listing
    text = _without_commands(steps, whole)
    is_shown = any(next(_shown(passages, step), None) for step in steps)
    is_open = any((is_pointed_to, is_elsewhere, is_shown, answer.unread, other.pictures, other.unread))
    return with_verdict(finding.with_changes(evidence=(place,)), Status.PARTIAL, text, _ELSEWHERE.keep_if(is_open))


def _only_shown(finding: Finding, answer: Answer, lab: Lab, found: Sequence[_Found]) -> Finding | None:
    """Return the finding if a report shows the command of each step, or None. It is certain if the report shows a
    result, too."""
    passages = [section.passage for section in answer.written if not section.is_closing]
    places = tuple(
        place
        for found_step in found
        for place in islice(chain(_shown(passages, found_step.step), found_step.evidence), 1)
    )
    if len(places) < len(found) or any(found_step.doubts for found_step in found):
        return None
    text = "\n".join([passage.text for passage in passages] + [cell.source for cell in answer.code])
    reason = _SHOWN.keep_if(not _tells_outcome(text, found, lab, has_results=_has_results(answer)))
    reached = _SHOWN_AND_TOLD if _tells_outcome(text, found, lab, has_results=False) else _DONE
    return with_verdict(finding.with_changes(evidence=places), Status.CORRECT, "" if reason else reached, reason)


def _has_results(answer: Answer) -> bool:
    """Whether runs have results. They need the data that the steps produce, so results prove the steps."""
    return bool(answer.results.seeds or answer.results.summaries)


def _with_results(found: _Found, answer: Answer) -> _Found:
    """Return a step that was done if its commands are complete and runs have results. A gap in a script, which is a
    single cell, may be anywhere in it."""
    is_script = not any(cell.is_notebook for cell in found.cells[:1])
    doubts = tuple(doubt for doubt in found.doubts if not (is_script and doubt.id == "gap"))
    if not found.is_there or doubts or not _has_results(answer):
        return found
    return found._replace(doubts=doubts, is_done=True)


def _tells_outcome(text: str, found: Sequence[_Found], lab: Lab, *, has_results: bool) -> bool:
    """Whether a text with complete commands shows results, a line of output, or the number of examples in each
    split."""
    sizes = {*lab.sizes.values()}
    is_whole = all(option in text for found_step in found for option in found_step.step.options)
    is_printed = has_results or any(found_step.proofs or found_step.step.is_printed_in(text) for found_step in found)
    return is_whole and (is_printed or any(sizes <= _whole_numbers(line) for line in text.split("\n")))


def _whole_numbers(line: str) -> set[int]:
    return {int(digits) for digits in re.findall(r"\d{1,9}", line)}


def _is_report_alone(answer: Answer) -> bool:
    """Whether only a report was handed in, which may be a notebook without a cell that ran."""
    reports = {section.passage.file for section in answer.written}
    files = {cell.file for cell in answer.code} | {cell.file for cell in answer.printed}
    has_run = any(notebook.ran or notebook.file not in reports for notebook in answer.notebooks)
    return not has_run and not any(run.experiment for run in answer.runs) and files <= reports


_ARGUMENTS: Final = r"(?s:.){0,120}?(?:\s--?[a-z]|\s<\s|\()"
"""The text after a program's or class's name in a complete command."""


def _shown(passages: Sequence[Passage], step: Step) -> Iterator[Evidence]:
    """Yield the places of a step's command that are neither denied nor doubted."""
    command = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, step.words))})(?![\w-]){_ARGUMENTS}")
    for passage in passages:
        places = [match.span() for match in command.finditer(passage.text)]
        yield from (passage.evidence(start, end) for start, end in places if _is_command_line(passage, start, end))
        for statement in statements(passage) if places else ():
            if any(statement.start <= start < statement.end for start, _ in places) and _says(passage, statement, step):
                yield passage.evidence(statement.start, statement.end)


def _is_command_line(passage: Passage, start: int, end: int) -> bool:
    """Whether a command stands in code or output, behind a prompt, or with options at the beginning of a line."""
    if passage.blocks[passage.index_at(start)].kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW):
        return True
    before = passage.text[:start].rpartition("\n")[2].strip()
    has_options = re.match(r"\S+\s+(?:--?[a-z]|<\s)", passage.text[start:end]) is not None
    return before.startswith(("$", "!", "%")) or (not before and has_options)


def _telling(passage: Passage, steps: Sequence[Step]) -> Iterator[tuple[Evidence, str]]:
    """Yield the places where one or two sentences say that every step was taken, with their context."""
    sentences = statements(passage)
    for length, index in product((1, 2), range(len(sentences))):
        own_statements = sentences[index : index + length]
        if all(any(_says(passage, statement, step) for statement in own_statements) for step in steps):
            around = sentences[max(0, index - 1) : index + length + 1]
            yield (
                passage.evidence(own_statements[0].start, own_statements[-1].end),
                " ".join(statement.text for statement in around),
            )


def _says(passage: Passage, statement: Statement, step: Step) -> bool:
    """Whether a sentence names a step and neither denies nor doubts it."""
    found = speaks_of(statement.text, (*step.words, *step.told))
    return (
        found is not None
        and not is_doubtful(statement.text, *found.span())
        and of_statement(passage, statement).is_committed
    )


def _without_steps(finding: Finding, answer: Answer, steps: Sequence[Step]) -> Finding:
    """Return the finding if the code, which was all read, contains no step: missing, unless report or code mention
    one."""
    words = tuple(word for step in steps for word in step.words)
    passages = [section.passage for section in answer.written if not section.is_closing]
    saying = plainest_saying(passages, words)
    named = re.compile("|".join(map(re.escape, words)))
    shown = (line.evidence for line in _printed_lines(answer, named))
    own_places = (place for cell in answer.code if (place := _spoken(cell, words)))
    pasted = (passage.evidence(*match.span()) for passage in passages for match in named.finditer(passage.text))
    spoken = saying.evidence if saying else next(chain(own_places, shown, pasted), None)
    unread = _unread(answer)
    if spoken is not None or unread:
        return concluded_absent(finding, Absence(spoken=(spoken,) if spoken else (), unread=unread))
    titles = join_messages(", ", (say_data(step.title) for step in steps))
    return concluded_absent(finding, Absence(), say("Not found: {names}.", names=titles))


def _spoken(cell: CodeCell, words: Sequence[str]) -> Evidence | None:
    """Yield lines of code that name a step outside imports; comments count if no gap is open."""
    for number, line in enumerate(cell.source.split("\n")[:_MOST_LINES], start=1):
        code = (line.partition("#")[0] if cell.gaps else line).lstrip(" \t!%")
        if any(word in code for word in words) and not code.startswith(("import", "from")):
            return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:300])
    return None


def _concluded(finding: Finding, found: Sequence[_Found], answer: Answer) -> Finding:
    """Return the verdict on all steps."""
    proofs = (line.evidence for found_step in found for line in found_step.proofs[:1])
    evidence = tuple(dict.fromkeys((*(place for found_step in found for place in found_step.evidence), *proofs)))
    doubts = tuple(doubt for found_step in found for doubt in found_step.doubts)
    hints = {
        found_step.step.title: hint
        for found_step in found
        if not found_step.is_there and (hint := _hint(found_step.step, found, answer))
    }
    absent = [
        say_data(found_step.step.title)
        for found_step in found
        if not found_step.is_there and found_step.step.title not in hints
    ]
    not_run = [say_data(found_step.step.title) for found_step in found if found_step.is_there and not found_step.ran]
    present = [say_data(found_step.step.title) for found_step in found if found_step.is_there]
    finding = finding.with_changes(evidence=evidence, found=join_messages(say("; "), present) if present else None)
    if not absent and not hints and not not_run and not doubts:
        text = (
            _DONE
            if any(found_step.is_done and not found_step.proofs for found_step in found)
            else say("Every step is there and was run.")
        )
        return finding.with_changes(status=Status.CORRECT, feedback=text)
    messages: list[Words] = [say("Not found: {names}.", names=join_messages(", ", absent))] if absent else []
    messages += [
        say("No known command of {name} was found, but this may do it: “{line}”.", name=say_data(title), line=line)
        for title, line in hints.items()
    ]
    messages += [say("Without a sign of a run: {cells}.", cells=join_messages(", ", not_run))] if not_run else []
    messages += [doubt.text for doubt in doubts]
    # A command with unknown parts may contain what seems to be missing. Outputs may have been cleared, but runs that
    # were trained on the data show that it was prepared.
    is_known = all(
        _UNKNOWN.isdisjoint(word.replace("...", "…")) for word in _words_of(found)
    ) and "part-missing" not in {doubt.id for doubt in doubts}
    lacks = bool(absent or hints)
    is_read = not answer.gaps and not (lacks and (_unread(answer) or _is_hinted_at(found, answer)))
    # If runs were trained on the results of the steps, it is not certain that an option is missing.
    is_doubted = bool(not_run) or "option-missing" in {doubt.id for doubt in doubts}
    has_run = any(found_step.ran and not found_step.is_done for found_step in found)
    if is_known and is_read and not (is_doubted and answer.runs) and has_run:
        return finding.with_changes(status=Status.PARTIAL, diagnoses=doubts, feedback=join_messages(" ", messages))
    return finding.with_changes(
        diagnoses=doubts,
        suggestion=Status.PARTIAL
        if absent or doubts or not any(found_step.ran for found_step in found)
        else Status.CORRECT,
        feedback=left_to_person(*messages),
    )


def _hint(step: Step, found: Sequence[_Found], answer: Answer) -> str:
    """The line of code, or else the sentence, that speaks of an absent step; the empty text if none does."""
    # A command's options on a line of their own, and the installation of a package, do nothing to the data.
    whole = (line.strip() for line in _other_lines(found, answer) if not line.lstrip().startswith("-"))
    lines = (line for line in whole if speaks_of(line, step.told) and "install" not in line.split())
    sentences = (
        statement.text
        for section in answer.written
        for statement in statements(section.passage)
        if speaks_of(statement.text, step.told) and _says(section.passage, statement, step)
    )
    return next(chain(lines, sentences), "")[:_LONGEST]


def _is_hinted_at(found: Sequence[_Found], answer: Answer) -> bool:
    """Whether code hints at an absent step.

    It names a model or file of the step (`python encode.py sentencepiece.bpe.model`), or starts a script that was not
    handed in.
    """
    words = [word for found_step in found if not found_step.is_there for word in found_step.step.told]
    scripts = set(chain.from_iterable(map(_scripts, _other_commands(found, answer))))
    is_lost = not scripts <= {PurePosixPath(path).name for path in answer.files}
    is_refuted = any(
        doubt.id == "unknown-tokens" for found_step in found for doubt in found_step.doubts
    )  # the names of files do not matter
    return is_lost or (not is_refuted and any(speaks_of(line, words) for line in _other_lines(found, answer)))


def _other_lines(found: Sequence[_Found], answer: Answer) -> Iterator[str]:
    """Yield the lines of code without the steps' own programs."""
    taken = [word for found_step in found for word in found_step.step.words]
    for cell in answer.code:
        yield from (line for line in cell.source.split("\n")[:_MOST_LINES] if not any(word in line for word in taken))


def _other_commands(found: Sequence[_Found], answer: Answer) -> Iterator[Command]:
    """Yield the commands without the steps' own programs."""
    taken = tuple(word for found_step in found for word in found_step.step.words)
    yield from (command for cell in answer.code for command in cell.commands if not command.runs(taken))


def _words_of(found: Sequence[_Found]) -> Iterator[str]:
    """Return the words of the commands that execute a step, and the files that they write."""
    for found_step in found:
        for command in (
            command for cell in found_step.cells for command in cell.commands if command.runs(found_step.step.words)
        ):
            yield from (*command.words, *command.writes)


def _found(step: Step, answer: Answer, lines: Sequence[_Line], most_unknown: float | None, *, is_given: bool) -> _Found:
    """Return a step with the cells that contain it and the proofs that it ran."""
    holding = [_as_run(step, cell) for cell in answer.code if _place(step, cell)]
    runners = [caller for cell in holding for caller in _runners(step, cell, answer.code)]
    cells = sorted((*holding, *runners), key=_faults)
    holding.sort(key=_faults)
    commands = [command for cell in holding for command in cell.commands if command.runs(step.words)]
    proofs = tuple(_proofs(step, lines, most_unknown, is_given=is_given))
    # A file that is read after a failure may be older, or may have been made in another way.
    if not any(failure(cell) for cell in cells):
        proofs += tuple(_read_later(commands, lines))
    if not cells and not proofs:
        return _Found(step, ())
    places = [place for cell in holding[:1] if (place := _place(step, cell))]
    found = _Found(step, tuple(cells), proofs, tuple(places))
    around = _with_callers(holding, answer.code)
    report_lines = [] if cells else list(_lines_about(step, answer))
    return found._replace(doubts=tuple(_doubts(found, around, commands, lines, most_unknown, report_lines)))


def _lines_about(step: Step, answer: Answer) -> Iterator[str]:
    """Yield the lines of the code and the report that name a step, each with the line before it, such as a loop."""
    texts = [cell.source for cell in answer.code] + [section.passage.text for section in answer.written]
    for before, line in chain.from_iterable(pairwise(["", *text.split("\n")[:_MOST_LINES]]) for text in texts):
        if speaks_of(line, step.words):
            yield f"{before} {line}"


def _as_run(step: Step, cell: CodeCell) -> CodeCell:
    """Return a cell with a step, marked as not run if the step is in code that cannot have run."""
    is_live = _place(step, cell, may_be_idle=False) is not None
    return cell if is_live or not cell.ran else cell.model_copy(update={"ran": False})


def _faults(cell: CodeCell) -> tuple[bool, bool, bool]:
    return not cell.ran, failure(cell) is not None, bool(cell.gaps)


def _proofs(step: Step, lines: Sequence[_Line], most_unknown: float | None, *, is_given: bool) -> Iterator[_Line]:
    """Yield the printed lines that prove a step. `is_given`: the options, such as the dictionary, stand somewhere."""
    words = list(filter(_Lookup.is_of_words, _lookups(lines))) if step.looked_up else []
    shares = [word.share for word in words]
    # A dictionary made from the text itself knows all of its words, so it proves nothing. A given dictionary does.
    if words and max(shares) <= (most_unknown or 0) and (is_given or min(shares) > 0):
        yield from (_Line(word.evidence.quote, word.evidence) for word in words)
    yield from (line for line in lines if step.is_printed_in(line.text))


def _read_later(commands: Sequence[Command], lines: Sequence[_Line]) -> Iterator[_Line]:
    """Yield the printed lines that count the tokens of a file which the step's commands write."""
    written = {PurePosixPath(path) for command in commands for path in command.writes if _UNKNOWN.isdisjoint(path)}
    if not written:
        return
    for line in lines:
        match = _LOGGED.search(line.text)
        read = PurePosixPath(line.text[: match.start()].rpartition("]")[2].strip().rstrip(":")) if match else None
        if read in written:
            yield line


def _runners(step: Step, cell: CodeCell, code: Sequence[CodeCell]) -> Iterator[CodeCell]:
    """Yield the cells that run the script which contains a step."""
    if cell.is_notebook:
        return
    is_script = script_text(cell.file, cell.source) not in (None, cell.source)
    targets = _targets(cell, step) if is_script else frozenset()
    for other in code:
        if any(_starts(command, cell.file, targets) for command in other.commands if other is not cell):
            yield other


def _starts(command: Command, script: str, targets: frozenset[str]) -> bool:
    """Whether a command runs a script, by the name of its file, or one of a Makefile's targets."""
    if not targets:
        return command.runs((PurePosixPath(script).name,))
    return command.runs(("make",)) and (not targets.isdisjoint(command.words[1:]) or len(command.words) == 1)


def _targets(cell: CodeCell, step: Step) -> frozenset[str]:
    """Return the targets of a Makefile that execute a step, and the targets that depend on them."""
    rules: list[tuple[int, str, list[str]]] = []
    lines = cell.source.split("\n")[:_MOST_LINES]
    for number, line in enumerate(lines):
        rule = _RULE.match(line)
        if rule:
            rules += [(number, target, rule[2].split()) for target in rule[1].split()]
    quotes = {command.evidence.quote for command in cell.commands if command.runs(step.words)}
    places = [number for number, line in enumerate(lines) if line.strip()[:_LONGEST] in quotes]
    above = [[rule for rule in rules if rule[0] < place][-1:] for place in places]
    found = {target for (_, target, _), *_ in filter(None, above)}
    for _ in range(_MOST_NEEDED):
        found |= {target for _, target, needed in rules if not found.isdisjoint(needed)}
    return frozenset(found)


def _unread(answer: Answer) -> tuple[Words, ...]:
    """Return descriptions of unread files that may contain a step.

    They are scripts that silent code starts but that were not handed in, and files that may be programs.
    """
    file_names = {PurePosixPath(path).name for path in answer.files}
    file_names |= {match[1] for cell in answer.code if (match := _WRITTEN.match(cell.source))}
    silent = (command for cell in answer.code if not cell.output.strip() for command in cell.commands)
    started = dict.fromkeys(name for command in silent for name in _scripts(command) if name not in file_names)
    lost = [say("{name} was not handed in", name=name) for name in started]
    return (*lost[:3], *(say("{file}: it may be a program, and was not read", file=path) for path in answer.unread[:3]))


def _scripts(command: Command) -> Iterator[str]:
    """Yield the names of the shell scripts and Makefiles that a command runs."""
    program = command.words[0].rpartition("/")[2] if command.words else ""
    if program == "make":
        yield "Makefile"
    elif command.runs((program,)):
        words = command.words[:1] if program.endswith(_SHELL_SCRIPTS) else command.words[1:3]
        is_shell = program in _SHELLS or program.endswith(_SHELL_SCRIPTS)
        yield from (word.rpartition("/")[2] for word in words if is_shell and word.endswith(_SHELL_SCRIPTS))


def _doubts(
    found: _Found,
    around: Sequence[CodeCell],
    commands: Sequence[Command],
    lines: Sequence[_Line],
    most_unknown: float | None,
    report_lines: Sequence[str],
) -> Iterator[Diagnosis]:
    """Yield the evidence against a step: gaps, errors, missing options and parts, unknown tokens."""
    step, cells = found.step, found.cells
    title = say_data(step.title)
    proven = [proof.text for proof in found.proofs]
    if cells and cells[0].gaps and not proven:
        yield Diagnosis(id="gap", text=GAP)
    error = failure(cells[0]) if cells and not proven else None
    if error and cells[0].ran:
        text = say("The code for {step} ended in an error: {error}", step=title, error=error)
        yield Diagnosis(id="failed", text=text)
    # A command may go on in a line that no sign joins to it.
    lacking = [
        name
        for name in step.options
        if commands and not any(command.gives(name) for command in commands) and not _gives_below(name, around)
    ]
    if lacking:
        text = say("Not given: {options}.", options=", ".join(f"--{name}" for name in lacking))
        yield Diagnosis(id="option-missing", text=text)
    spoken = [text.lower() for text in (*proven, *report_lines)]
    absent = [
        words[0]
        for words in step.parts
        if not any(_speaks_of(cell, words) for cell in around) and not any(w in text for text in spoken for w in words)
    ]
    if absent:
        text = say("Nothing shows that {step} was done for: {parts}.", step=title, parts=", ".join(absent))
        yield Diagnosis(id="part-missing", text=text)
    places = {(proof.evidence.file, proof.evidence.cell) for proof in found.proofs} | {
        (cell.file, cell.cell) for cell in cells
    }
    shares = [lookup.share for lookup in _lookups(lines) if (lookup.evidence.file, lookup.evidence.cell) in places]
    if most_unknown is not None and max(shares, default=0.0) > most_unknown:
        text = say(
            "{share:g} % of the tokens are unknown to the dictionary, so it was not made from them.", share=max(shares)
        )
        yield Diagnosis(id="unknown-tokens", text=text)


def _gives_below(name: str, cells: Sequence[CodeCell]) -> bool:
    """Whether a line of some cells begins with an option and contains the given one."""
    lines = (line.strip() for cell in cells for line in cell.source.split("\n")[:_MOST_LINES])
    return any(line.startswith("--") and f"--{name}" in line for line in lines)


def _with_callers(cells: Sequence[CodeCell], code: Sequence[CodeCell]) -> list[CodeCell]:
    """Return some cells and the cells that call their functions."""
    defined = {function.name for cell in cells for function in cell.functions}
    return [*cells, *(cell for cell in code if any(call.name in defined for call in cell.calls))]


def _speaks_of(cell: CodeCell, words: Sequence[str]) -> bool:
    """Whether a cell, its commands with variables replaced, or its output contains one of some words."""
    texts = (cell.source, *(" ".join(command.words) for command in cell.commands), cell.output[:_MOST_OUTPUT])
    return any(word in text.lower() for text in texts for word in words)


def _place(step: Step, cell: CodeCell, *, may_be_idle: bool = True) -> Evidence | None:
    """Return the place of a step in a cell, or None.

    It is a command or a call, or a line of code that is not Python. Without `may_be_idle`, only code that can have run
    counts.
    """
    for command in cell.commands:
        if command.runs(step.words) and (may_be_idle or not command.is_idle):
            return command.evidence
    names = {word.rpartition(".")[2] for word in step.words}
    for call in cell.calls:
        if call.name in names and (may_be_idle or not (call.dead or not cell.may_have_run(call.evidence))):
            return call.evidence
    place = _line(step, cell)
    # All commands of a shell cell are known, so any other line with the step's name does not execute it.
    is_idle = place is not None and (not cell.may_have_run(place) or bool(cell.commands))
    return None if is_idle and not may_be_idle else place


def _line(step: Step, cell: CodeCell) -> Evidence | None:
    """Return a line that names a step: in code, in the text of a command, or in a cell that is not Python; or None."""
    as_text = not cell.whole or cell.source.lstrip().startswith("%%") or bool(cell.names & _STARTING)
    words = [word for word in step.words if as_text or word.rpartition(".")[2] in cell.names]
    for number, line in enumerate(cell.source.split("\n")[:_MOST_LINES], start=1):
        code = line.partition("#")[0].lstrip(" \t!%")
        if any(word in code for word in words) and not code.startswith(_NO_STEPS):
            return Evidence(file=cell.file, cell=cell.cell, line=number, quote=line.strip()[:300])
    return None
