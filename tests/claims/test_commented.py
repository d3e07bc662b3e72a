"""Code that is commented out sets, calls and states nothing; remarks in words do."""

import pytest

from grader.claims.code.commented import without_commented_code


def kept(source: str) -> str:
    return "\n".join(line for line in without_commented_code(source.split("\n")) if line)


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("config = LoraConfig(\n    r=16,\n    # target_modules=['q'],\n)", "config = LoraConfig(\n    r=16,\n)"),
        ("config = LoraConfig(\n    r=16,\n    # lora_alpha=32\n)", "config = LoraConfig(\n    r=16,\n)"),
        ("# model = load('a')\n# for one in model:\n#     print(one)\nx = 1", "x = 1"),
        ("# def f(x):\n#     return x", ""),
        ("# set the rank\n# print(count(model))\nx = 1", "# set the rank\nx = 1"),
        ("'''\nmodel = load('a')\nprint(model, \"b\\n\")\n'''\nx = 1", "x = 1"),
        ('def f():\n    """return g(1)"""\n    return 1', "def f():\n    return 1"),
    ],
)
def test_code_that_is_commented_out_is_gone(source: str, left: str) -> None:
    assert kept(source) == left


@pytest.mark.parametrize(
    "source",
    [
        "# r=16: the rank of the update",
        "# mean = 79.3\n# the mean of three seeds",
        "# test accuracy 79.3, 78.5 and 80.1",
        "# We use the pretrained model, and print the result.",
        "# kind = 'none'\n# no vectors of the layers are trained\n# tasks = ['a', 'b']\n# the kinds of text it writes",
        'def f():\n    """Print the number of parameters."""\n    return 1',
        "template = '''print(1)'''",
        "x = 1  # print(x)",
        "lines = '''\nnot closed",
    ],
)
def test_remarks_in_words_stay(source: str) -> None:
    assert kept(source) == source


def test_hostile_sources_end_soon() -> None:
    for source in ("# (" * 10_000, "#" + "(" * 90_000, "\n".join(["# f(1)"] * 100_000), "# x = " + "-" * 15_000 + "1"):
        assert len(without_commented_code(source.split("\n"))) == source.count("\n") + 1
