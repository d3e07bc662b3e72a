"""Words are readable and bars can be told apart: in colour, in grey, and by those who see colours otherwise."""

import itertools
import re

import pytest

from grader.report.resources import templates_folder

TEMPLATES = templates_folder()
TEXT_PAIRS = [
    ("ink", "paper"),
    ("soft", "paper"),
    ("accent", "paper"),
    ("ink", "wash"),
    ("soft", "wash"),
]
"""Text on what lies under it, by the names of the tokens."""


def tokens() -> dict[str, str]:
    css = (TEMPLATES / "tokens.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--([a-z-]+):\s*(#[0-9a-f]{6});", css)) | {"paper": "#ffffff"}


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio, 1 to 21 (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_ratio_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("text", "under"), TEXT_PAIRS)
def test_text_stands_out_from_what_lies_under_it(text: str, under: str) -> None:
    """At least 4.5 : 1, as level AA asks for text of any size."""
    known = tokens()
    ratio = contrast(known[text], known[under])
    print(f"{text} on {under}: {ratio:.1f} : 1")
    assert ratio >= 4.5


def test_no_text_has_a_colour_that_is_not_measured_here() -> None:
    known = tokens()
    measured = {text for text, _ in TEXT_PAIRS}
    for path in TEMPLATES.glob("*.css"):
        css = path.read_text(encoding="utf-8")
        for value in re.findall(r"(?<![-\w])color:\s*([^;}]+)[;}]", css):
            name = re.fullmatch(r"var\(--([a-z-]+)\)", value.strip())
            named = (
                name[1] if name else next((key for key, one in known.items() if one == value.strip()), value.strip())
            )
            assert named in measured | {"inherit"}, f"{path.name}: color {value}"


def test_text_in_charts_stands_out() -> None:
    for path in TEMPLATES.glob("*chart*.html"):
        for colour in re.findall(r"<text[^>]*fill=\"(#[0-9a-f]{6})\"", path.read_text(encoding="utf-8")):
            assert contrast(colour, "#ffffff") >= 4.5, f"{path.name}: {colour}"


def test_grounds_that_text_may_lie_on_are_pale() -> None:
    known = tokens()
    for path in TEMPLATES.glob("*.css"):
        grounds = re.findall(r"background(?:-color)?:\s*var\(--([a-z-]+)\)", path.read_text(encoding="utf-8"))
        for ground in grounds:
            assert ground in {under for _, under in TEXT_PAIRS} | {"accent", "accent-pale"}, f"{path.name}: {ground}"
    assert luminance(known["wash"]) > 0.85


def test_the_parts_of_a_bar_differ_in_lightness_alone() -> None:
    """Earned, pending and lost: 3 : 1 for what is earned, as WCAG asks of graphics; the pale part is framed."""
    known = tokens()
    earned, pending, lost = (known[name] for name in ("accent", "accent-pale", "paper"))
    assert contrast(earned, pending) >= 3
    assert contrast(earned, lost) >= 3
    grey = [round(luminance(colour) ** (1 / 2.2) * 255) for colour in (earned, pending, lost)]
    assert min(abs(one - other) for one, other in itertools.combinations(grey, 2)) >= 40


def test_statuses_have_shapes_of_their_own_and_colours_that_stand_out() -> None:
    drawings = {path.stem: path.read_text(encoding="utf-8") for path in (TEMPLATES / "shapes").glob("*.svg")}
    outlines = {re.sub(r"#[0-9a-f]{6}", "", drawing) for drawing in drawings.values()}
    assert len(outlines) == len(drawings) == 7
    for name, drawing in drawings.items():
        for colour in set(re.findall(r"#[0-9a-f]{6}", drawing)) - {"#ffffff"}:
            assert contrast(colour, "#ffffff") >= 4.5, f"{name}: {colour}"
