"""Quantities as texts state them: value, form, unit, sign and firmness; and whether one is a number asked for."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from grader.claims.numerals import (
    Firmness,
    Form,
    Quantity,
    Target,
    has_spelt_number,
    quantities,
    range_target,
    sentence_bounds,
    target,
    unit_factor,
)
from grader.claims.passage import normalise


def found(text: str) -> list[Quantity]:
    return list(quantities(normalise(text).text))


def one(text: str) -> Quantity:
    (quantity,) = found(text)
    return quantity


FORMS: Mapping[str, tuple[str, str, Form, str]] = {
    "The entropy is 0.954 bits": ("0.954", "0.001", Form.DECIMAL, "bits"),
    "we get 12 %": ("12", "1", Form.PERCENT, "%"),
    "we get 12.5 per cent of it": ("12.5", "0.1", Form.PERCENT, "%"),
    "soit 12,5 pour cent": ("12.5", "0.1", Form.PERCENT, "%"),
    "a share of 3/4": ("0.75", "0", Form.FRACTION, ""),
    "a share of 3 / 4": ("0.75", "0", Form.FRACTION, ""),
    r"a share of $\frac{3}{4}$": ("0.75", "0", Form.FRACTION, ""),
    r"a share of $\frac{3}{4}$ m": ("0.75", "0", Form.FRACTION, "m"),
    "in all 2 3/4 cups": ("2.75", "0", Form.FRACTION, "cups"),
    "in all 12 1/2": ("12.5", "0", Form.FRACTION, ""),
    "the rate 159/200 %": ("0.795", "0", Form.PERCENT, "%"),
    "it takes 9.85 km/h^2": ("9.85", "0.01", Form.DECIMAL, "km/h^2"),
    "it takes (9.85 ± 0.04) km/h^2": ("9.85", "0.01", Form.DECIMAL, "km/h^2"),
    "a width of 5 cm": ("5", "1", Form.DECIMAL, "cm"),
    "a width of 5\tcm": ("5", "1", Form.DECIMAL, "cm"),
    "an angle of 30°": ("30", "1", Form.DECIMAL, "°"),
    "a total of 2.5 million": ("2500000", "100000", Form.DECIMAL, "million"),
    "a total of 2.5 × 10^3 J": ("2500", "100", Form.DECIMAL, "J"),
    "a rate of 5e-4": ("0.0005", "0.0001", Form.DECIMAL, ""),
    "it falls to -3.5 V": ("-3.5", "0.1", Form.DECIMAL, "V"),
    "it falls to - 3.5 V": ("-3.5", "0.1", Form.DECIMAL, "V"),
    "a slope of -1/2": ("-0.5", "0", Form.FRACTION, ""),
    "x = -5 %": ("-5", "1", Form.PERCENT, "%"),
    "value: −7": ("-7", "1", Form.DECIMAL, ""),
    "a factor of 0,811": ("0.811", "0.001", Form.DECIMAL, ""),
}


@pytest.mark.parametrize("text", FORMS)
def test_a_quantity_is_read_with_form_unit_and_sign(text: str) -> None:
    value, resolution, form, unit = FORMS[text]
    read = one(text) if "±" not in text else found(text)[0]
    assert (read.readings[0], read.form, read.unit) == (Decimal(value), form, unit)
    assert read.resolution == Decimal(resolution)


SEVERAL: Mapping[str, tuple[str, ...]] = {
    "from 3 to 5": ("3", "5"),
    "between 10-20 of them": ("10", "20"),
    "5 - 3 = 2": ("5", "3", "2"),
    "(4) -3": ("4", "3"),
    "a[2] - 3": ("2", "3"),
    "12 % - 3 %": ("12", "3"),
    "8\n- 3": ("8", "3"),
    "8\n-3": ("8", "-3"),
    "we have\n- 3 apples\n- 4 pears": ("3", "4"),
    "BERT-3 has 7": ("3", "7"),
    "x_-2 and 5": ("2", "5"),
    "1) 25\n2) 30": ("25", "30"),
    "1. 25\n2. 30": ("25", "30"),
    "the 1st is 5, the 2nd 6, the 3rd 7, the 4th 8": ("5", "6", "7", "8"),
    "le 1er vaut 5, la 2e 6, le 3ème 7": ("5", "6", "7"),
    "Figure 3 shows 12": ("12",),
    "Fig. 3 and eq. (2) give 12": ("12",),
    "in table 4 and section 5.1 we find 12": ("12",),
    "Question 2 asks for 12": ("12",),
    "step 3 gives 12, part 2 gives 13": ("12", "13"),
    "on the test part 54.03": ("54.03",),
    "étape 2 : 12": ("12",),
    "on 12/05/2024": ("12", "5", "2024"),
    "1/2/3": ("1", "2", "3"),
    "4 1/2 and 6": ("4.5", "6"),
    "4.5 1/2": ("4.5", "0.5"),
    "4 3/2": ("4", "1.5"),
    "5/0 and 6": ("5", "0", "6"),
    "1/4, 3/4": ("0.25", "0.75"),
    "7 and 1/4": ("7", "0.25"),
}


@pytest.mark.parametrize("text", SEVERAL)
def test_each_quantity_is_read_once_and_names_of_things_are_none(text: str) -> None:
    assert tuple(quantity.readings[0] for quantity in found(text)) == tuple(map(Decimal, SEVERAL[text]))


def test_a_letter_behind_a_number_may_be_a_unit_or_millions() -> None:
    read = one("a length of 12 m")
    assert (read.text, read.unit) == ("12", "m")
    assert (read.readings, read.plain) == ((Decimal(12_000_000),), (Decimal(12),))
    spelled = one("a total of 3 million")
    assert (spelled.text, spelled.readings, spelled.plain) == ("3 million", (Decimal(3_000_000),), (Decimal(3),))


def test_a_quantity_knows_its_place_with_its_sign() -> None:
    text = "it is -2 1/2 here"
    (negative,) = found(text)
    assert (negative.readings, text[negative.start : negative.end]) == ((Decimal("-2.5"),), "-2 1/2")
    assert (negative.text, negative.plain) == ("-2 1/2", (Decimal("-2.5"),))
    braced = normalise(r"so $\frac{3}{4}$ of it").text
    (fraction,) = quantities(braced)
    assert braced[fraction.start : fraction.end] == "((3)/(4))"
    plain = "so 3/4 of it"
    (fraction,) = quantities(plain)
    assert (plain[fraction.start : fraction.end], fraction.text) == ("3/4", "3/4")


FIRM: Mapping[str, Firmness] = {
    "x = 5": Firmness.SET,
    "x ≈ 5 bits": Firmness.SET,
    "answer: 5": Firmness.SET,
    "→ 5": Firmness.SET,
    "x = (5)": Firmness.SET,
    "x = -5": Firmness.SET,
    "5": Firmness.SET,
    "5 bits": Firmness.SET,
    "- 5 bits": Firmness.SET,
    "text above\n5 bits\ntext below": Firmness.SET,
    "5 of them": Firmness.MENTIONED,
    "5 of the many others": Firmness.MENTIONED,
    "the entropy is 5 in this case": Firmness.STATED,
    "we obtain 5 in this case": Firmness.STATED,
    "on obtient 5 dans ce cas": Firmness.STATED,
    "that gives -5 in this case": Firmness.STATED,
    "they saw 5 in this case": Firmness.MENTIONED,
    "that is 5 × height": Firmness.OPERAND,
    "that is 5 + height": Firmness.OPERAND,
    "that is height × 5": Firmness.OPERAND,
    "that is height + 5": Firmness.OPERAND,
    "x < 5": Firmness.OPERAND,
    "it is sqrt(5) there": Firmness.OPERAND,
    "it is log 5 there": Firmness.OPERAND,
    "it is 5 log x there": Firmness.OPERAND,
    "it is 5π there": Firmness.OPERAND,
    "it is 5! / n there": Firmness.OPERAND,
    "it is 5^n there": Firmness.OPERAND,
    "it is 5 - n there": Firmness.STATED,
    "it is f(5) there": Firmness.OPERAND,
    "it is 5 km/h there": Firmness.STATED,
}


@pytest.mark.parametrize("text", FIRM)
def test_how_firmly_a_quantity_is_stated(text: str) -> None:
    assert one(text).firmness is FIRM[text]


def test_of_a_calculation_only_the_result_is_firm() -> None:
    firm = [quantity.firmness for quantity in found("it is 3 × 4 - 2 = 10 in all")]
    assert firm == [Firmness.OPERAND] * 3 + [Firmness.SET]


UNITS: Mapping[tuple[str, str], str | None] = {
    ("s", "s"): "1",
    ("ms", "s"): "0.001",
    ("s", "ms"): "1000",
    ("us", "ms"): "0.001",
    ("km", "m"): "1000",
    ("cm", "mm"): "10",
    ("cm^2", "m^2"): "0.0001",
    ("cm²", "m2"): "0.0001",
    ("mm³", "cm³"): "0.001",
    ("km/h", "m/h"): "1000",
    ("m/s", "km/s"): "0.001",
    ("m/s", "m/h"): None,
    ("km", "s"): None,
    ("GHz", "MHz"): "1000",
    ("bits", "bit"): "1",
    ("bit", "bits"): "1",
    ("kbits", "bits"): "1000",
    ("tokens", "token"): "1",
    ("ms", "m"): None,
    ("N·m", "Nm"): "1",
    ("km", "k"): None,
    ("s^-1", "ms^-1"): "0.001",
}


@pytest.mark.parametrize(("written", "unit"), UNITS)
def test_a_unit_is_a_multiple_of_another_by_its_prefix(written: str, unit: str) -> None:
    factor = UNITS[written, unit]
    assert unit_factor(written, unit) == (None if factor is None else Decimal(factor))


@pytest.mark.parametrize(
    ("value", "tolerance", "relative", "margin"),
    [
        ("5", None, "0", "0"),
        ("5.0", None, "0", "0.05"),
        ("0.954", None, "0", "0.0005"),
        ("500", None, "0.01", "5"),
        ("-500", None, "0.01", "5"),
        ("500", "2", "0.01", "7"),
        ("500", "2", "0", "2"),
        ("500", "0", "0", "0"),
        ("0.5", "0", "0", "0"),
    ],
)
def test_what_may_differ_from_a_right_number(value: str, tolerance: str | None, relative: str, margin: str) -> None:
    made = target(Decimal(value), None if tolerance is None else Decimal(tolerance), Decimal(relative))
    assert made.margin == Decimal(margin)
    for sign in (1, -1):
        assert made.holds(Decimal(value) + sign * Decimal(margin))
        assert not made.holds(Decimal(value) + sign * (Decimal(margin) + Decimal("0.00001")))


BITS = target(Decimal("0.954"), None, Decimal(0), "bits", {"nats": Decimal("1.4427")})
SECONDS = target(Decimal("0.25"), Decimal("0.01"), Decimal(0), "s")
SHARE = target(Decimal("79.5"), None, Decimal(0), "%")
MOST_OF_ALL = range_target(Decimal(80), None, "%")
PLAIN = target(Decimal("0.795"), None, Decimal(0))
FINE = target(Decimal("0.33333"), None, Decimal(0))
WHOLE = target(Decimal(1200), None, Decimal(0))


@pytest.mark.parametrize(
    ("asked", "text", "is_right", "may_be"),
    [
        (BITS, "0.954 bits", True, True),
        (BITS, "0.954", True, True),
        (BITS, "0.9542 bits", True, True),
        (BITS, "0.96 bits", False, False),
        (BITS, "0.95 bits", False, True),
        (BITS, "1 bit", False, False),
        (BITS, "0.661 nats", True, True),
        (BITS, "0.661 bits", False, False),
        (BITS, "-0.954 bits", False, True),
        (BITS, "95.4 %", True, True),
        (BITS, "95.4", False, True),
        (BITS, "2 bits", False, False),
        (SECONDS, "0.25 s", True, True),
        (SECONDS, "250 ms", True, True),
        (SECONDS, "250", False, False),
        (SECONDS, "0.26 s", True, True),
        (SECONDS, "0.27 s", False, False),
        (SECONDS, "1/4 s", True, True),
        (SHARE, "79.5 %", True, True),
        (SHARE, "79.5", True, True),
        (SHARE, "0.795", True, True),
        (SHARE, "80 %", False, True),
        (SHARE, "79 %", False, True),
        (SHARE, "78 %", False, False),
        (SHARE, "159/200", True, True),
        (MOST_OF_ALL, "91 %", True, True),
        (MOST_OF_ALL, "0.91", True, True),
        (MOST_OF_ALL, "40", False, False),
        (PLAIN, "79.5 %", True, True),
        (PLAIN, "0.795", True, True),
        (PLAIN, "79.5", False, True),
        (PLAIN, "0.8", False, True),
        (PLAIN, "1", False, False),
        (PLAIN, "0,795", True, True),
        (FINE, "0,333", False, True),
        (FINE, "0.333", False, True),
        (FINE, "0,335", False, False),
        (WHOLE, "1,200", True, True),
        (WHOLE, "1.2k", True, True),
        (WHOLE, "1,201", False, False),
        (WHOLE, "1.2 million", False, False),
        (WHOLE, "-1,200", False, True),
    ],
)
def test_a_quantity_is_held_against_a_right_number(asked: Target, text: str, *, is_right: bool, may_be: bool) -> None:
    quantity = one(text)
    assert (asked.is_right(quantity), asked.may_be_right(quantity)) == (is_right, may_be)


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("One here. Two there. Three.", "Two", "Two there. "),
        ("One here. Two there. Three.", "One", "One here. "),
        ("One here. Two there. Three.", "Three", "Three."),
        ("One\nTwo\nThree", "Two", "Two\n"),
        ("It is 3.5 m! Really? Yes; so.", "3.5", "It is 3.5 m! "),
        ("It is 3.5 m! Really? Yes; so.", "so", "so."),
        ("The sum is\n12 in all.\nNext", "12", "The sum is\n12 in all.\n"),
        ("The sum is\n12 in all.\nNext", "sum", "The sum is\n12 in all.\n"),
        ("a = 3 +\n4\nNext", "4", "a = 3 +\n4\n"),
        ("La somme vaut\n12\nPuis", "12", "La somme vaut\n12\n"),
        ("", "", ""),
    ],
)
def test_a_sentence_goes_on_behind_a_sign_or_a_verb(text: str, word: str, sentence: str) -> None:
    at = text.index(word)
    start, end = sentence_bounds(text, at, at + len(word))
    assert text[start:end] == sentence


def test_behind_the_end_of_a_text_there_is_no_sentence() -> None:
    assert sentence_bounds("One.", 4, 4) == (4, 4)


@pytest.mark.parametrize("text", ["two of them", "la moitié", "½", "√x", "Twelve? no, zero", "un tiers"])
def test_a_number_in_words_is_known(text: str) -> None:
    assert has_spelt_number(text)


@pytest.mark.parametrize("text", ["2 of them", "the oneness", "weight", "often"])
def test_digits_and_parts_of_words_are_no_number_in_words(text: str) -> None:
    assert not has_spelt_number(text)
