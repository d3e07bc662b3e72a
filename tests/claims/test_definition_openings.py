"""Where a definition opens, which value stands with its name, and how far it goes."""

from collections.abc import Mapping

import pytest

from grader.claims.definition_openings import (
    cells_of,
    find_openings,
    is_value,
    opens_another,
    settings,
    with_words_of_code,
    wraps,
)
from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind, Document
from tests.claims.making import lab, passage

PARAMETERS = {one.id: one for one in lab().parameters}


def told(text: str) -> list[tuple[str, str | None, str]]:
    """Of each opening the parameter, the value, and the words of its places."""
    whole = with_words_of_code(passage(text))
    return [
        (one.parameter, one.value, " / ".join(whole.text[start:end].strip() for start, end in one.places))
        for one in find_openings(whole, lab().parameters)
    ]


OPENED: Mapping[str, list[tuple[str, str | None, str]]] = {
    "r: the rank": [("r", None, "the rank")],
    "r = 16: the rank": [("r", "16", ": the rank")],
    "r (16): the rank": [("r", "16", ": the rank")],
    "r 16: the rank": [("r", "16", ": the rank")],
    "r := 16, the rank": [("r", "16", ", the rank")],
    "r (int) = 16: the rank": [("r", "16", ": the rank")],
    "r (type: int): the rank": [("r", None, "the rank")],
    "Rank (r = 16): size": [("r", "16", ": size")],
    "The rank r is small": [],
    "r is the rank": [("r", None, "is the rank")],
    "r The rank": [("r", None, "The rank")],
    "r the rank": [],
    "r2 is the rank": [],
    "lora alpha = 32: scale": [("lora_alpha", "32", ": scale")],
    "loraalpha = 32: scale": [],
    "bias: none of them": [("bias", None, "none of them")],
    "bias: none": [("bias", "none", "")],
    'bias = "none" means frozen': [("bias", '"none"', "means frozen")],
    "bias = none means frozen": [("bias", "none", "means frozen")],
    "r (rank): how large": [("r", None, "rank): how large")],
    "r = 16": [("r", "16", "")],
    "lora_dropout = 5%: share": [("lora_dropout", "5%", ": share")],
    "lora_dropout = .05: share": [("lora_dropout", ".05", ": share")],
    "lora_dropout = 5e-2: share": [("lora_dropout", "5e-2", ": share")],
    'target_modules = ["query_key_value"]: layers': [("target_modules", '["query_key_value"]', ": layers")],
    "1. r: the rank\n2. bias: which": [("r", None, "the rank"), ("bias", None, "which")],
    "(a) r: the rank": [("r", None, "the rank")],
    "- r: the rank\n  goes on\n- bias: which": [("r", None, "the rank\ngoes on"), ("bias", None, "which")],
    "r: the rank\nother_name: x\nbias: which": [("r", None, "the rank"), ("bias", None, "which")],
    "r: the rank\n\nA paragraph.\n\nbias: which": [("r", None, "the rank"), ("bias", None, "which")],
    "## r\n\nThe rank.\n\nMore of it.\n\n## bias\n\nWhich.": [
        ("r", None, "The rank.\nMore of it."),
        ("bias", None, "Which."),
    ],
    "## r = 16\n\nThe rank.": [("r", "16", "The rank.")],
    "## r and its meaning\n\nThe rank.": [],
    "- r\n  - the rank\n  - small\n- bias\n  - which": [("r", None, "- the rank\n- small"), ("bias", None, "- which")],
    "- r\n  - the rank\n  - other_name: x": [("r", None, "- the rank")],
    "| r | 16 | the rank |\n|---|---|---|\n| bias | none | which biases |": [
        ("r", "16", "the rank"),
        ("bias", "none", "which biases"),
    ],
    "| a | b |\n|---|---|\n| the rank | r (16) |": [("r", "16", "the rank")],
    "| r | 16 |\n|---|---|\n| bias | none |": [("r", "16", ""), ("bias", "none", "")],
    "| r | 16 | rank |\n|---|---|---|\n| bias | none | frozen |": [("r", "16", "rank"), ("bias", "none", "frozen")],
    "| r | rank | 16 |\n|---|---|---|\n| bias | frozen | none |": [("r", "16", "rank"), ("bias", "none", "frozen")],
    "| r | 16 | 32 |\n|---|---|---|\n| bias | x | y |": [("r", "16", ""), ("bias", "x", "")],
    "| r | lora_alpha |\n|---|---|\n| 16 | 32 |": [],
    "| r | lora_alpha | bias |\n|---|---|---|\n| the rank | the scale | which |\n| 16 | 32 | none |": [
        ("r", "16", "the rank"),
        ("lora_alpha", "32", "the scale"),
        ("bias", "none", "which"),
    ],
    "```\nr=16,  # the rank\nlora_alpha=32,\n```": [("r", "16", "the rank")],
    '```\n"r": "the rank of it",\n"bias": "none",\n```': [("r", None, "the rank of it")],
    "```\n# r: the rank\nx = 1\n```": [("r", None, "the rank")],
    '```\n"""\nr: the rank\n"""\nx = 1\n```': [("r", None, "the rank")],
    'We set r=16, lora_alpha=32, and\nbias="none". In words, it learns.': [],
    "· r: the rank\n· bias, which": [("r", None, "the rank"), ("bias", None, ", which")],
    "r 16 = the rank": [("r", "16", "= the rank")],
    "- query_key_value: (target_modules) the layers": [],
    "r the rank\nle bias c la constante\nlora_alpha the strength\nof it": [
        ("r", None, "the rank"),
        ("bias", None, "c la constante"),
        ("lora_alpha", None, "the strength\nof it"),
    ],
    "r the rank\nle bias c la constante\nand lora_alpha the strength": [],
    "r the rank\nof A\nand of B\nbias the constant\nof each layer\nof it\nlora_alpha the strength": [],
    "r: the rank, the larger\nr is, the more": [("r", None, "the rank, the larger\nr is, the more")],
}


@pytest.mark.parametrize("text", OPENED)
def test_a_definition_opens_with_its_name(text: str) -> None:
    assert told(text) == OPENED[text]


SETTINGS = ("r = 8", "lora_alpha = 8,", 'bias = "none"')
REMARKS = ("# how wide", "# how strong", "# which of\nthem")
COMMENTED: Mapping[str, tuple[list[str], list[str]]] = {
    "above": ([line for pair in zip(REMARKS, SETTINGS, strict=True) for line in pair], ["r", "lora_alpha", "bias"]),
    "above all but one": ([*REMARKS[:1], SETTINGS[0], *REMARKS[1:2], 'task_type = "X"', REMARKS[2], *SETTINGS[1:]],
                          ["r", "task_type", "lora_alpha"]),
    "below": ([line for pair in zip(SETTINGS, REMARKS, strict=True) for line in pair], []),
    "below a title": (["# settings", *(line for pair in zip(SETTINGS, REMARKS, strict=True) for line in pair)], []),
    "above two": ([REMARKS[0], SETTINGS[0], REMARKS[1], *SETTINGS[1:]], []),
}  # fmt: skip


@pytest.mark.parametrize("kind", [BlockKind.CODE, BlockKind.LINE])
@pytest.mark.parametrize("layout", COMMENTED)
def test_comments_stand_above_their_settings_where_none_stands_below_the_last(layout: str, kind: BlockKind) -> None:
    lines, wanted = COMMENTED[layout]
    written = "\n".join(lines) if kind is BlockKind.LINE else "\n".join(line.replace("\n", " ") for line in lines)
    blocks = tuple(Block(text=text, kind=kind) for text in written.split("\n"))
    whole = with_words_of_code(Passage(file="report.pdf", exact=False, blocks=blocks))
    found = [one for one in find_openings(whole, lab().parameters) if whole.text[one.start :].startswith("# ")]
    assert [one.parameter for one in found] == wanted
    told = [" ".join(whole.text[one.places[0][0] : one.places[0][1]].split()) for one in found]
    assert told == [" ".join(one.split()) for one in REMARKS[: len(found)]]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("```\nr=16,\nlora_alpha = 32)\n```", ["r", "lora_alpha"]),
        ("r = 16,\nlora_alpha = 32", ["r", "lora_alpha"]),
        ("r=16  # rank", []),
        ("r: 16", []),
        ("- r = 16", []),
        ("r = 16 is small", []),
    ],
)
def test_lines_that_only_set_a_value(text: str, wanted: list[str]) -> None:
    assert [one.parameter for one in settings(passage(text), lab().parameters)] == wanted


@pytest.mark.parametrize(
    ("text", "parameter", "is_it"),
    [("16", "r", True), ("`16`", "r", True), ("17", "r", False), ("r = 16", "r", False), ('"none"', "bias", True),
     ("None", "bias", True), ("all", "bias", False), ('["query_key_value"]', "target_modules", True),
     ("query_key_value", "target_modules", True), ("CAUSAL_LM", "task_type", True), ("", "r", False)],
)  # fmt: skip
def test_a_cell_that_holds_only_a_value(text: str, parameter: str, *, is_it: bool) -> None:
    assert is_value(text, PARAMETERS[parameter]) is is_it


def test_the_cells_of_a_row_have_their_places() -> None:
    whole = passage("Words.\n\n| r | the **rank** | 16 |\n|---|---|---|\n| a | a | a |")
    rows = [at for at, block in enumerate(whole.blocks) if block.kind is BlockKind.ROW]
    for number, wanted in zip(rows, (["r", "the rank", "16"], ["a", "a", "a"]), strict=True):
        cells = cells_of(whole, number)
        assert [text for _, text in cells] == wanted
        assert [whole.text[at : at + len(text)] for at, text in cells] == wanted
        assert [at for at, _ in cells] == sorted({at for at, _ in cells})


def test_cells_that_the_text_of_a_row_does_not_hold_have_no_places() -> None:
    block = Block(kind=BlockKind.ROW, text="one two", cells=("one", "three"))
    assert cells_of(Passage(file="r.md", exact=True, blocks=(block,)), 0) == []


def lines(*found: tuple[str, float, int], kind: BlockKind = BlockKind.LINE) -> tuple[Block, ...]:
    return tuple(Block(kind=kind, text=text, page=page, box=(70, top, 500, top + 10)) for text, top, page in found)


def test_a_line_goes_on_unless_a_paragraph_begins() -> None:
    even = lines(("It ends.", 100, 1), ("Goes on", 112, 1), ("and on", 124, 1))
    assert [wraps(even, at) for at in range(-1, 4)] == [False, False, True, True, False]
    gap = lines(("One", 88, 1), ("It ends.", 100, 1), ("Begins", 116, 1), ("goes on", 128, 1))
    assert [wraps(gap, at) for at in (1, 2, 3)] == [True, False, True]
    open_end = lines(("One", 88, 1), ("It does not end", 100, 1), ("Begins", 116, 1), ("goes on", 128, 1))
    assert wraps(open_end, 2)
    narrow = lines(("One", 88, 1), ("It ends.", 100, 1), ("Goes", 115, 1), ("on", 127, 1))
    assert wraps(narrow, 2)
    pages = lines(("It ends.", 700, 1), ("Goes on", 80, 2), ("and on", 92, 2))
    assert wraps(pages, 1)
    alone = lines(("It ends.", 100, 1), ("Far below", 180, 1))
    assert wraps(alone, 1)


def test_other_kinds_of_lines_go_on_with_nothing() -> None:
    two = lines(("One", 100, 1), ("Two", 112, 1))
    for kind in (BlockKind.HEADING, BlockKind.LIST_ITEM, BlockKind.ROW, BlockKind.CODE):
        assert not wraps((two[0], two[1].model_copy(update={"kind": kind})), 1)
    assert not wraps((two[0], two[1].model_copy(update={"text": "  "})), 1)
    assert not wraps((two[0], two[1].model_copy(update={"text": "other_name: x"})), 1)
    numbered = [Block(kind=BlockKind.LINE, text=text, line=at) for text, at in (("one", 1), ("two", 2), ("three", 4))]
    assert [wraps(numbered, at) for at in (1, 2)] == [True, False]


@pytest.mark.parametrize(
    ("text", "opens"),
    [("other_name: x", True), ("other_name = x", True), ("- other_name (int): x", True), ("other: x", False),
     ("other_name is x", False), ("an other_name: x", False), ("Fan_In_Fan_Out (bool): x", True)],
)  # fmt: skip
def test_a_parameter_that_was_not_asked_for_opens_another(text: str, *, opens: bool) -> None:
    assert opens_another(passage(text).blocks, 0) is opens


def test_a_line_in_the_midst_of_settings_opens_nothing() -> None:
    blocks = passage("with r=16, lora_alpha=32,\nother_name=3 and more").blocks
    assert not opens_another(blocks, 1)
    assert opens_another(passage("with r=16, lora_alpha=32.\nother_name=3 and more").blocks, 1)


def test_only_comments_and_long_strings_of_code_are_words() -> None:
    code = '```\nx = 1\n# a remark\ny = 2  # behind\n"""\nwithin\n"""\nz = """one line"""\n# 3\n#\n```\n\nWords.'
    kinds = [(block.text, block.kind) for block in with_words_of_code(passage(code)).blocks if block.text]
    words = [text for text, kind in kinds if kind is BlockKind.LINE]
    assert words == ["# a remark", "within", "# 3", "Words."]
    plain = passage("No code.")
    assert with_words_of_code(plain) is plain


def test_a_wide_blank_behind_a_name_begins_a_column_of_definitions() -> None:
    lines = (
        "r             rank of the update",
        "lora_dropout  0.05, against overfitting",
        'bias          "none" = no bias is trained',
    )
    blocks = tuple(Block(kind=BlockKind.LINE, text=line, line=number) for number, line in enumerate(lines, 1))
    found = list(
        find_openings(Passage.from_document(Document(file="report.txt", exact=True, blocks=blocks)), lab().parameters)
    )
    assert [one.parameter for one in found] == ["r", "lora_dropout", "bias"]


def test_the_name_in_a_row_may_be_misspelt_or_translated() -> None:
    assert told("| r | the rank |\n|---|---|\n| biais | frozen biases |\n| lora_dropuot | a share |") == [
        ("r", None, "the rank"),
        ("bias", None, "frozen biases"),
        ("lora_dropout", None, "a share"),
    ]
    assert told("| bits | four of them |\n|---|---|\n| head | classification head |") == []
