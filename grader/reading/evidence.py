"""The places in submitted files that support a finding."""

from grader.frozen import Frozen

Box = tuple[float, float, float, float]


class Evidence(Frozen):
    """A place in a submitted file and the words that stand there.

    `page` and `line` count from 1, `cell` from 0 (as notebooks do). `box` is (left, top, right, bottom) in PDF points
    from the page's top left corner. `tag` and `step` name a logged scalar. `recognised`: the words are a picture's, as
    OCR reads them.
    """

    file: str
    page: int | None = None
    box: Box | None = None
    line: int | None = None
    cell: int | None = None
    tag: str | None = None
    step: int | None = None
    quote: str
    recognised: bool = False
