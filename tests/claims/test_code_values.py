"""Values in code of which a part is not known: what is kept of them, what is compared, and where it ends."""

import ast
from collections.abc import Mapping, Sequence

import pytest

from grader.claims.code.expressions import Constant, has_value, is_constant
from grader.claims.code.library import attribute_of, function_value, method_value
from grader.claims.code.values import (
    ALL,
    FROZEN,
    LARGEST,
    LONGEST_TEXT,
    MOST_ITEMS,
    TRAINABLE,
    UNKNOWN,
    WEIGHTS,
    Hole,
    Kind,
    PartialCall,
    Routine,
    Tally,
    Value,
    Weight,
    are_equal,
    binary,
    compare_values,
    fill_template,
    format_text,
    format_value,
    is_known,
    percent_formatted,
    short_source,
    source_of,
    text_method,
    text_of,
    truth_of,
)

Q = Hole("q")
MATRIX = Weight("a.weight", 12, True, rows=3)
VECTOR = Weight("a.bias", 5, False)
ROUTINE = Routine("f", ast.parse("lambda: None", mode="eval").body, 0)

WRITTEN: Sequence[tuple[Value, str, str]] = [
    (3, "3", "3"),
    (1e-05, "1e-05", "1e-05"),
    (None, "None", "None"),
    (True, "True", "True"),
    ("a'b", "a'b", '"a\'b"'),
    (Q, "⟨q⟩", "q"),
    (MATRIX, "⟨a.weight⟩", "⟨a.weight⟩"),
    (ROUTINE, "⟨f⟩", "⟨f⟩"),
    (PartialCall(ROUTINE, (1,), {}), "⟨f⟩", "⟨f⟩"),
    (["a", Q, [1]], "['a', q, [1]]", "['a', q, [1]]"),
    ({"k": Q, 1: "x"}, "{'k': q, 1: 'x'}", "{'k': q, 1: 'x'}"),
    ([], "[]", "[]"),
]


@pytest.mark.parametrize(("value", "as_text", "as_source"), WRITTEN, ids=[one for _, one, _ in WRITTEN])
def test_a_value_is_written_as_python_does_with_what_is_not_known_marked(
    value: Value, as_text: str, as_source: str
) -> None:
    assert (text_of(value), source_of(value)) == (as_text, as_source)


def nested(depth: int) -> Value:
    value: Value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_deep_and_long_values_are_cut() -> None:
    assert text_of(nested(13)) == "[" * 13 + "1" + "]" * 13
    assert "…" in text_of(nested(3_000))
    assert is_known(nested(12))
    assert not is_known(nested(13))
    assert len(text_of("x" * (LONGEST_TEXT + 5))) == LONGEST_TEXT
    assert text_of([1] * (MOST_ITEMS + 5)).count("1") == MOST_ITEMS
    assert text_of(dict.fromkeys(range(MOST_ITEMS + 5), "y")).count("y") == MOST_ITEMS
    assert len(text_of(["x" * 900] * 999)) <= LONGEST_TEXT + 2


@pytest.mark.parametrize(
    ("value", "known"),
    [(1, True), ("a", True), ("a⟨q⟩", False), (Q, False), ([1, "a"], True), ([1, [Q]], False), ({"a": 1}, False),
     (MATRIX, False), (None, True), (ROUTINE, False)],
)  # fmt: skip
def test_only_constants_are_known(value: Value, *, known: bool) -> None:
    assert is_known(value) is known


NAMED: Mapping[str, str] = {
    "a": "a",
    "a.b.c": "a.b.c",
    "row['question']": "row['question']",
    "row[0]": "row['0']",
    "row[1.5]": "row[1.5]",
    "f(x, y)": "f(x, y)",
    "f(a, b, c, d)": "f(a, b, c)",
    "await f(x)": "f(x)",
    "a + b": "…",
    "a.b.c.d.e.f.g": "a.b.c.d.e.f.g",
    "a.b.c.d.e.f.g.h": "….b.c.d.e.f.g.h",
}


@pytest.mark.parametrize("source", NAMED)
def test_an_expression_has_a_short_name(source: str) -> None:
    assert short_source(ast.parse(source, mode="eval").body) == NAMED[source]
    assert len(short_source(ast.parse("x" * 200, mode="eval").body)) == 80


ADD, SUB, MUL, DIV, MOD, POW = ast.Add(), ast.Sub(), ast.Mult(), ast.Div(), ast.Mod(), ast.Pow()

COMBINED: Sequence[tuple[ast.operator, Value, Value, Value]] = [
    (ADD, "a", Q, "a⟨q⟩"),
    (ADD, Q, "a", "⟨q⟩a"),
    (ADD, "a", 1, UNKNOWN),
    (ADD, 1, Q, UNKNOWN),
    (ADD, [1], [Q], [1, Q]),
    (ADD, [1], 1, UNKNOWN),
    (ADD, [0] * MOST_ITEMS, [1], [0] * MOST_ITEMS),
    (MUL, "ab", 2, "abab"),
    (MUL, [1], 3, [1, 1, 1]),
    (MUL, "ab", -1, ""),
    (MUL, "a", MOST_ITEMS, "a" * MOST_ITEMS),
    (MUL, "a", MOST_ITEMS + 1, UNKNOWN),
    (MUL, "a", 1.5, UNKNOWN),
    (DIV, 1, 0, UNKNOWN),
    (MOD, 1, 0, UNKNOWN),
    (POW, 0, -1, UNKNOWN),
    (POW, 2, 64, 2**64),
    (POW, 2, 65, UNKNOWN),
    (POW, 2, -64, 2**-64),
    (POW, 2, -65, UNKNOWN),
    (POW, -1, 0.5, UNKNOWN),
    (MUL, LARGEST - 1, 1, LARGEST - 1),
    (MUL, LARGEST, 1, UNKNOWN),
    (MUL, -LARGEST, 1, UNKNOWN),
    (ast.BitOr(), {"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    (ast.BitOr(), 1, 2, UNKNOWN),
    (ast.LShift(), 1, 2, 4),
    (ast.LShift(), 1, 10**9, UNKNOWN),
    (ast.RShift(), 4, 1, UNKNOWN),
    (MOD, "%s", Q, "⟨q⟩"),
    (SUB, Q, 1, UNKNOWN),
]


@pytest.mark.parametrize(("kind", "left", "right", "wanted"), COMBINED)
def test_what_is_combined_with_something_unknown_or_too_large(
    kind: ast.operator, left: Value, right: Value, wanted: Value
) -> None:
    assert binary(kind, left, right) == wanted


def test_texts_that_are_put_together_stay_short() -> None:
    assert len(str(binary(ADD, "a" * LONGEST_TEXT, "b"))) == LONGEST_TEXT


COMPARED: Sequence[tuple[ast.cmpop, Value, Value, bool | None]] = [
    (ast.Eq(), 1, Q, None),
    (ast.Eq(), "a⟨q⟩", "a", None),
    (ast.Eq(), [1], [1], True),
    (ast.NotEq(), [1], [2], True),
    (ast.Is(), None, None, True),
    (ast.IsNot(), None, 1, True),
    (ast.Lt(), 1, 2, True),
    (ast.GtE(), 1, 2, False),
    (ast.Lt(), 1, "a", None),
    (ast.Lt(), [1], [2], None),
    (ast.Lt(), 1, {}, None),
    (ast.In(), "a", "abc", True),
    (ast.NotIn(), "x", "abc", True),
    (ast.In(), "a", "a⟨q⟩", None),
    (ast.In(), 1, "abc", None),
    (ast.In(), 1, [1, 2], True),
    (ast.NotIn(), 1, {1: 2}, False),
    (ast.In(), [1], [1, 2], None),
    (ast.In(), 1, 2, None),
]


@pytest.mark.parametrize(("kind", "left", "right", "wanted"), COMPARED)
def test_what_cannot_be_compared_is_neither_true_nor_false(
    kind: ast.cmpop, left: Value, right: Value, wanted: bool | None
) -> None:
    assert compare_values(kind, left, right) is wanted


def test_values_are_the_same_part_by_part() -> None:
    assert are_equal([1, {"a": [Q]}], [1, {"a": [Q]}]) is True
    assert are_equal([1], [1, 2]) is False
    assert are_equal({"a": 1}, {"b": 1}) is False
    assert are_equal(PartialCall(ROUTINE, (), {}), PartialCall(ROUTINE, (), {})) is False
    endless: list[Value] = []
    endless.append(endless)
    other: list[Value] = []
    other.append(other)
    assert are_equal(endless, other) is None
    assert are_equal(endless, endless) is True


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("", False), ("a", True), ("⟨q⟩", None), ("⟨q⟩a", None), ("a⟨q⟩", True), (0, False), (2, True), ([], False),
     ({1: 1}, True), (None, False), (Q, None), (MATRIX, None), (0.0, False)],
)  # fmt: skip
def test_the_truth_of_a_value(value: Value, wanted: bool | None) -> None:
    assert truth_of(value) is wanted


@pytest.mark.parametrize(
    ("template", "values", "wanted"),
    [
        ("%s and %s", [1], "1 and ⟨…⟩"),
        ("%s", Q, "⟨q⟩"),
        ("%(a)s-%(b)d", {"a": 1}, "1-⟨…⟩"),
        ("%(a)s", Q, "⟨q['a']⟩"),
        ("%-10s|%5.2f|%+d", ["x", 2, 3], "x|2.00|3"),
        ("100%%", [], "100%"),
        ("%% %s %%", "x", "% x %"),
        ("no mark", [], "no mark"),
        ("%(a)s", "x", "x"),
        ("end %", [], "end ⟨…⟩"),
    ],
)
def test_placeholders_are_filled_in_turn(template: str, values: Value, wanted: str) -> None:
    assert percent_formatted(template, values) == wanted


@pytest.mark.parametrize(
    ("value", "spec", "wanted"),
    [
        (3.14159, ".2f", "3.14"),
        (1234567, ",", "1,234,567"),
        (1234567, ">12,", "   1,234,567"),
        (5, "", "5"),
        (5, "100d", "5"),
        (0.5, ".1%", "50.0%"),
        (5, "z", "5"),
        (True, "d", "1"),
        ("x", ">5", "x"),
        (Q, ".2f", "⟨q⟩"),
        (5, "123456789", "5"),
        (5, "⟨q⟩", "5"),
        (5.0, ".999f", "5.0"),
    ],
)
def test_a_format_keeps_marks_and_digits_but_no_great_width(value: Value, spec: str, wanted: str) -> None:
    assert format_value(value, spec) == wanted


METHODS: Sequence[tuple[str, str, list[Value], Value]] = [
    ("-", "join", ["abc"], UNKNOWN),
    ("-", "join", [["a", Q]], "a-⟨q⟩"),
    ("⟨q⟩ ", "strip", [], "⟨q⟩"),
    (" x ", "lstrip", [Q], "x "),
    ("a b", "replace", ["a", Q], "⟨q⟩ b"),
    ("a b", "replace", ["a"], UNKNOWN),
    ("a b", "replace", [Q, "x"], UNKNOWN),
    ("a" * 400, "replace", ["a", "b" * 1001], UNKNOWN),
    ("⟨q⟩ b", "split", [], UNKNOWN),
    ("⟨q⟩,b", "split", [","], ["⟨q⟩", "b"]),
    ("a b", "split", [""], ["a", "b"]),
    ("⟨q⟩\nb", "splitlines", [], UNKNOWN),
    ("⟨q⟩b", "startswith", ["b"], UNKNOWN),
    ("ab", "startswith", [Q], UNKNOWN),
    ("⟨q⟩b", "upper", [], UNKNOWN),
    ("⟨q⟩b", "removesuffix", ["b"], "⟨q⟩"),
    ("ab", "removeprefix", [Q], UNKNOWN),
    ("ab", "encode", ["utf-8"], "ab"),
    ("ab", "find", ["b"], UNKNOWN),
    ("{} {x}", "format", [1], "1 ⟨…⟩"),
    ("{x}", "format_map", [{"x": 2}], "2"),
    ("{x}", "format_map", [Q], "⟨q['x']⟩"),
    ("$x {x}", "substitute", [{"x": 2}], "2 {x}"),
    ("$x", "substitute", [Q], "⟨q['x']⟩"),
    ("{{ x }} {{ y }} $x", "render", [{"x": 2}], "2 ⟨…⟩ $x"),
    ("{", "format", [1], UNKNOWN),
]


@pytest.mark.parametrize(("text", "name", "given", "wanted"), METHODS)
def test_methods_of_texts_that_are_known_in_part(text: str, name: str, given: list[Value], wanted: Value) -> None:
    assert text_method(text, name, given, {}) == wanted


@pytest.mark.parametrize(
    ("template", "given", "keywords", "wanted"),
    [
        ("{}{}", [1, 2], {}, "12"),
        ("{1}{0}", [1, 2], {}, "21"),
        ("{2}", [1, 2], {}, "⟨…⟩"),
        ("{}{}", [1], {}, "1⟨…⟩"),
        ("{a} {a:.1f}", [], {"a": 0.25}, "0.25 0.2"),
        ("{a}", [], {"**": Q}, "⟨q['a']⟩"),
        ("{a[k]}", [], {"a": {"k": 7}}, "7"),
        ("{a[z]}", [], {"a": Q}, "⟨q[z]⟩"),
        ("{a.b}", [], {"a": Q}, "⟨q.b⟩"),
        ("{0[k]} {1}", [{"k": 7}, 8], {}, "7 8"),
        ("{{x}}", [], {}, "{x}"),
    ],
)
def test_fields_of_a_format(template: str, given: list[Value], keywords: dict[str, Value], wanted: str) -> None:
    assert format_text(template, given, keywords) == wanted


def test_what_a_template_is_not_given_stays_unknown() -> None:
    import re

    mark = re.compile(r"\$(?:(\$)|([a-z]+)|\{([a-z]+)\})")
    assert fill_template("$a ${b} $$ $c", {"a": 1, "b": "x"}, mark) == "1 x $ ⟨…⟩"


FUNCTIONS: Sequence[tuple[str, list[Value], Value]] = [
    ("int", ["x"], UNKNOWN),
    ("int", ["⟨q⟩"], UNKNOWN),
    ("int", ["9" * 24], 10**24 - 1),
    ("int", ["1" + "0" * 24], UNKNOWN),
    ("int", [], UNKNOWN),
    ("float", ["inf"], UNKNOWN),
    ("int", [float("nan")], UNKNOWN),
    ("round", [2.55, 20], UNKNOWN),
    ("round", [2.55, 19], 2.55),
    ("round", [255, -20], 0),
    ("round", [255, -21], UNKNOWN),
    ("round", [1.26, 1], 1.3),
    ("floor", [-1.5], -2),
    ("ceil", [-1.5], -1),
    ("abs", [Q], UNKNOWN),
    ("sum", [[1, Q]], UNKNOWN),
    ("sum", [[1, 2], 3], 6),
    ("sum", [], UNKNOWN),
    ("max", [[]], UNKNOWN),
    ("max", [2, 7], 7),
    ("min", [[4, 2]], 2),
    ("prod", [[2] * 19], 2**19),
    ("prod", [[10**12, 10**12 - 1]], 10**24 - 10**12),
    ("prod", [[10**12] * 2], UNKNOWN),
    ("len", ["ab"], 2),
    ("len", ["⟨q⟩"], UNKNOWN),
    ("len", [{"a": 1}], 1),
    ("len", [Q], UNKNOWN),
    ("len", [], UNKNOWN),
    ("range", [100], list(range(100))),
    ("range", [101], UNKNOWN),
    ("range", [0, 9, 0], UNKNOWN),
    ("range", [Q], UNKNOWN),
    ("range", [], UNKNOWN),
    ("range", [10**9], UNKNOWN),
    ("arange", [2, 6, 2], [2, 4]),
    ("enumerate", [["a"], 1], [[1, "a"]]),
    ("enumerate", [Q], UNKNOWN),
    ("zip", [[1, 2], [3, 4]], [[1, 3], [2, 4]]),
    ("zip", [[1], Q], UNKNOWN),
    ("list", [{"a": 1}], ["a"]),
    ("list", [Q], UNKNOWN),
    ("set", [], []),
    ("format", [3.14159, ".2f"], "3.14"),
    ("format", ["x", ".2f"], UNKNOWN),
    ("mul", [3, 4], 12),
    ("mul", [3], UNKNOWN),
    ("numel", [MATRIX], 12),
    ("chr", [66], "B"),
    ("chr", [0xD7FF], chr(0xD7FF)),
    ("chr", [0xD800], UNKNOWN),
    ("chr", [-1], UNKNOWN),
    ("loads", ['{"a": 1, "b": "x"}'], {"a": 1, "b": "x"}),
    ("loads", ['{"a": [1]}'], {"a": [1]}),
    ("loads", ["[1]"], UNKNOWN),
    ("loads", ["{"], UNKNOWN),
    ("hasattr", [MATRIX, "shape"], True),
    ("hasattr", [MATRIX, "color"], False),
    ("hasattr", [Q, "shape"], UNKNOWN),
    ("tensor", [[1, 2]], [1, 2]),
    ("tensor", [], UNKNOWN),
    ("getattr", [MATRIX, "shape"], [3, 4]),
    ("Counter", [], {}),
    ("Counter", [["a"]], UNKNOWN),
    ("defaultdict", [Hole("int")], {}),
    ("defaultdict", [Hole("list")], UNKNOWN),
    ("dict", [[["a", 1]]], {"a": 1}),
    ("dict", [[["a", 1], 2]], UNKNOWN),
    ("dict", [Q], UNKNOWN),
    ("str", [], ""),
    ("unheard", [1], UNKNOWN),
]


@pytest.mark.parametrize(("name", "given", "wanted"), FUNCTIONS)
def test_functions_of_libraries_on_what_is_known_and_what_is_not(name: str, given: list[Value], wanted: Value) -> None:
    found = function_value(name, given, {})
    assert (found, type(found) is type(wanted) or isinstance(found, Tally)) == (wanted, True)


def test_a_table_takes_names_beside_pairs() -> None:
    assert function_value("dict", [{"a": 1}], {"b": 2}) == {"a": 1, "b": 2}
    assert function_value("dict", [[["a", 1]]], {"b": 2}) == {"a": 1, "b": 2}
    assert function_value("OrderedDict", [], {"b": 2}) == {"b": 2}


OF_PARAMETERS: Sequence[tuple[Value, str, list[Value], Value]] = [
    (MATRIX, "numel", [], 12),
    (MATRIX, "dim", [], 2),
    (VECTOR, "ndimension", [], 1),
    (MATRIX, "size", [], [3, 4]),
    (VECTOR, "size", [], [5]),
    (MATRIX, "size", [0], 3),
    (MATRIX, "size", [1], 4),
    (MATRIX, "size", [-1], 4),
    (MATRIX, "size", [-2], 3),
    (VECTOR, "size", [-1], 5),
    (MATRIX, "size", [Q], UNKNOWN),
    (MATRIX, "view", [-1], MATRIX),
    (MATRIX, "backward", [], UNKNOWN),
    (3, "item", [], 3),
    (3, "append", [4], UNKNOWN),
    ([1, 2], "sum", [], 3),
    ([2, 3], "numel", [], 6),
    ([2, Q], "numel", [], UNKNOWN),
    ([1], "pop", [], UNKNOWN),
    ({"a": 1}, "get", ["a"], 1),
    ({"a": 1}, "get", ["b"], None),
    ({"a": 1}, "get", ["b", 2], 2),
    ({"a": 1}, "get", [Q], UNKNOWN),
    ({"a": 1}, "pop", ["a"], UNKNOWN),
    (Hole("shlex"), "split", ["a b"], ["a", "b"]),
    (Hole("str"), "upper", ["a"], "A"),
    (Hole("str"), "join", ["-", ["a", "b"]], "a-b"),
    (Hole("model"), "parameters", [], list(WEIGHTS)),
    (Hole("model"), "train", [], UNKNOWN),
    (Hole("model"), "num_parameters", [], ALL),
    (None, "x", [], UNKNOWN),
]


@pytest.mark.parametrize(("base", "name", "given", "wanted"), OF_PARAMETERS)
def test_methods_of_parameters_lists_tables_and_models(
    base: Value, name: str, given: list[Value], wanted: Value
) -> None:
    assert method_value(base, name, given, {}) == wanted


def test_the_model_that_is_counted_has_distinct_sizes() -> None:
    assert method_value(Hole("m"), "num_parameters", [], {"only_trainable": True}) == TRAINABLE
    assert TRAINABLE + FROZEN == ALL
    pairs = method_value(Hole("m"), "named_parameters", [], {})
    assert pairs == [[one.name, one] for one in WEIGHTS]
    assert len({one.size for one in WEIGHTS}) == len({one.name.split(".")[-3:][0] + str(one.size) for one in WEIGHTS})
    assert all(one.shape[0] * one.shape[-1] == one.size for one in WEIGHTS if one.rows)
    assert any(one.trainable for one in WEIGHTS)


def test_lists_and_tables_change_within_their_limits() -> None:
    items: list[Value] = [1]
    assert method_value(items, "append", [2], {}) is None
    assert method_value(items, "extend", [[3, 4]], {}) is None
    assert items == [1, 2, 3, 4]
    full: list[Value] = [0] * MOST_ITEMS
    assert method_value(full, "append", [1], {}) == UNKNOWN
    assert len(full) == MOST_ITEMS
    table: dict[object, Value] = {"a": 1}
    assert method_value(table, "update", [{"b": 2}], {"c": 3}) is None
    assert table == {"a": 1, "b": 2, "c": 3}
    assert method_value(table, "update", [Q], {}) is None
    assert table["**"] == UNKNOWN
    kept = method_value(Kind({"x": 1}), "copy", [], {})
    assert isinstance(kept, Kind)
    assert kept == {"x": 1}


@pytest.mark.parametrize(
    ("base", "name", "wanted"),
    [(MATRIX, "requires_grad", True), (VECTOR, "requires_grad", False), (MATRIX, "ndim", 2), (VECTOR, "ndim", 1),
     (MATRIX, "shape", [3, 4]), (VECTOR, "shape", [5]), (MATRIX, "data", MATRIX), (MATRIX, "grad", UNKNOWN),
     ({"a": 1}, "a", 1), ({"a": 1}, "b", UNKNOWN), (Q, "b", Hole("q.b")), (Q, "b c", UNKNOWN), (3, "b", UNKNOWN)],
)  # fmt: skip
def test_attributes(base: Value, name: str, wanted: Value) -> None:
    assert attribute_of(base, name) == wanted


def test_an_attribute_that_is_not_there_may_have_a_value_in_its_place() -> None:
    assert attribute_of({"a": 1}, "b", [9]) == 9
    assert attribute_of({"a": 1}, "a", [9]) == 1


HAVING: Sequence[tuple[str, Constant, bool]] = [
    ("1e-5", 0.00001, True),
    ("0.05", 0.05, True),
    ("'none'", "none", True),
    ("none", "none", True),
    ("'none'", "all", False),
    ("True", True, True),
    ("True", "True", True),
    ("1", True, False),
    ("True", 1, False),
    ("16", 16, True),
    ("16.0", 16, True),
    ("'16'", 16, False),
    ("TaskType.CAUSAL_LM", "CAUSAL_LM", True),
    ("peft.TaskType.CAUSAL_LM", "CAUSAL_LM", True),
    ("TaskType.SEQ_CLS", "CAUSAL_LM", False),
    ("other", "CAUSAL_LM", False),
    ("['a', 'b']", ["b", "a"], True),
    ("('a', 'b')", ["b", "a"], True),
    ("{'a', 'b'}", ["b", "a"], True),
    ("['a']", ["b", "a"], False),
    ("[1, 2]", [1, 2], True),
    ("[2, 1]", [1, 2], False),
    ("['a']", "['a']", True),
    ("'a'", ["a"], False),
    ("f(", "x", False),
]


@pytest.mark.parametrize(("found", "wanted", "has"), HAVING)
def test_an_argument_has_a_labs_value_in_any_spelling(found: str, wanted: Constant, *, has: bool) -> None:
    assert has_value(found, wanted) is has


@pytest.mark.parametrize(
    ("source", "constant"),
    [("1", True), ("'a'", True), ("[1, 2]", True), ("None", True), ("x", False), ("f()", False), ("1 +", False)],
)
def test_a_constant_is_known_by_its_source(source: str, *, constant: bool) -> None:
    assert is_constant(source) is constant


UNHEARD = ("Aa", "aa", "bb", "dz", "fz", "gz", "iz", "kz", "mz", "nz", "pz", "qz", "rz", "sz", "tz", "uz", "vz", "zz")
"""Names that no library has, all over the alphabet."""


@pytest.mark.parametrize("name", UNHEARD)
def test_a_function_that_is_not_known_gives_nothing_that_is(name: str) -> None:
    for given in ([], [1], ["a"], [[1, 2]], [{"a": 1}], [MATRIX], [Q], ["a", "b"], [3, 4]):
        assert function_value(name, given, {}) == UNKNOWN
        assert text_method("a b", name, given, {}) == UNKNOWN
    for base in (MATRIX, VECTOR, {"a": 1}, [1, 2], 3, 2.5, Q, Hole("shlex"), Tally()):
        assert method_value(base, name, [1], {}) == UNKNOWN
    for weight in (MATRIX, VECTOR):
        assert attribute_of(weight, name) == UNKNOWN
