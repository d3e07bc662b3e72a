"""Does the function that makes prompts join the markers of the format in order?"""

from collections.abc import Iterator

from grader.checks.absence import without_code
from grader.checks.check import Conclusion, check
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer


@check("prompt-format")
def prompt_format(answer: Answer, *, item: str, function: str, markers: tuple[str, ...]) -> Iterator[Conclusion]:
    """The prompt is made in the format that was asked for."""
    shown = "".join(f"{marker} … " for marker in markers).replace("\n", "⏎ ")
    expected = Expected(text=shown.strip())
    made = [one for cell in answer.code for one in cell.functions if one.name == function]
    right = [one for one in made if _in_order("".join(one.strings), markers)]
    if right:
        yield Finding(
            item=item,
            status=Status.CORRECT,
            found=" ".join("".join(right[-1].strings).split())[:200],
            expected=expected,
            evidence=(right[-1].evidence,),
            feedback=f"{function} makes the prompt in the right format.",
        )
        return
    mentioned = any(marker.strip() in cell.source for cell in answer.code for marker in markers)
    if not answer.code:
        yield without_code(item, answer, expected, *markers)
        return
    yield Finding(
        item=item,
        status=Status.REVIEW,
        found=" ".join("".join(made[-1].strings).split())[:200] or None if made else None,
        expected=expected,
        evidence=(made[-1].evidence,) if made else (),
        suggestion=Status.PARTIAL if mentioned else Status.INCORRECT,
        feedback=f"{function} was "
        + ("found, but not with the whole format" if made else "not found")
        + " in the code.",
    )


def _in_order(text: str, markers: tuple[str, ...]) -> bool:
    """Whether the markers stand in a text in their order. A marker's line break may have spaces around it."""
    position = 0
    squeezed = "\n".join(line.strip() for line in text.split("\n"))
    for marker in markers:
        position = squeezed.find(marker, position)
        if position < 0:
            return False
        position += len(marker)
    return True
