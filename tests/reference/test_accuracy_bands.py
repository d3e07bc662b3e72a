"""Bands are prediction intervals of the runs that are known."""

from math import sqrt
from statistics import fmean, stdev

import pytest

from grader.lab.files import lab_folder
from reference.accuracy_bands import bands, interval, load_evidence

EVIDENCE = load_evidence(lab_folder("nlp-frameworks") / "evidence" / "accuracies.toml")


def test_an_interval_of_one_group_is_the_textbook_one() -> None:
    values = (79.9, 78.5, 80.1)
    mean, (inner, outer) = interval([values], 3)
    assert mean == round(fmean(values), 2)
    width = 4.303 * stdev(values) * sqrt(1 / 3 + 1 / 3)
    assert inner == (round(fmean(values) - width, 1), round(fmean(values) + width, 1))
    assert outer[0] < inner[0] < inner[1] < outer[1]


def test_more_seeds_in_agreement_make_a_narrower_band() -> None:
    few, many = interval([(79.0, 80.0, 81.0)], 3), interval([(79.0, 80.0, 81.0), (79.0, 80.0, 81.0)], 3)
    assert many[1][0][1] - many[1][0][0] < few[1][0][1] - few[1][0][0]


def test_groups_far_apart_do_not_widen_a_band_by_their_distance() -> None:
    """The spread is pooled within the groups: two set-ups may differ in their means."""
    near, far = interval([(1.0, 2.0), (1.0, 2.0)], 3), interval([(1.0, 2.0), (9.0, 10.0)], 3)
    assert near[1][0][1] - near[1][0][0] == pytest.approx(far[1][0][1] - far[1][0][0])


def test_every_band_says_what_it_rests_on() -> None:
    for band in bands(EVIDENCE, seeds=3, date="2026-11-20"):
        assert band.provenance.how
        assert band.outer[0] < band.outer[1]


def test_the_known_runs_lie_in_their_own_bands() -> None:
    """A band that excluded the runs it was made from would be none."""
    found = {band.id: band for band in bands(EVIDENCE, seeds=3, date="2026-11-20")}
    runs = {run.id: run for run in EVIDENCE.runs}
    for recipe in EVIDENCE.bands:
        band = found[f"band/{recipe.id}"]
        for name in recipe.runs:
            assert band.outer[0] <= fmean(runs[name].of(recipe.split)) <= band.outer[1]
