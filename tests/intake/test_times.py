"""Times as systems write them; what could be two days is none."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.names import day_comes_first, read_time


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2023-11-21T22:58", "2023-11-21T22:58:00"),
        ("2023-11-21 22:58:10 +0100", "2023-11-21T22:58:10+01:00"),
        ("2023-11-21T22:58:10.5Z", "2023-11-21T22:58:10.500000+00:00"),
        ("2023-11-21 9:05:00 UTC", "2023-11-21T09:05:00+00:00"),
        ("2023-11-21 22:58:10.123456789 Z", "2023-11-21T22:58:10.123456+00:00"),
        ("Tuesday, 21 November 2023, 10:58 PM", "2023-11-21T22:58:00"),
        ("Tuesday, 21 November 2023, 12:05 AM", "2023-11-21T00:05:00"),
        ("mardi 21 novembre 2023, 22:58", "2023-11-21T22:58:00"),
        ("jeudi 1 février 2024, 08:00", "2024-02-01T08:00:00"),
        ("21/11/2023 22:58", "2023-11-21T22:58:00"),
        ("11/21/2023 10:58 PM", "2023-11-21T22:58:00"),
        ("21.11.2023, 22:58:01", "2023-11-21T22:58:01"),
        ("Tuesday, November 21, 2023, 10:58 PM", "2023-11-21T22:58:00"),
        ("Nov 1, 2023 3:05 p.m.", "2023-11-01T15:05:00"),
        ("Dienstag, 5. Dezember 2023, 22:58", "2023-12-05T22:58:00"),
        ("Mi., 6. März 2024, 15:05 Uhr", "2024-03-06T15:05:00"),
        ("martes, 5 de diciembre de 2023, 22:58", "2023-12-05T22:58:00"),
        ("miércoles, 6 de septiembre de 2023, 10:58 p. m.", "2023-09-06T22:58:00"),
    ],
)
def test_times_are_read(text: str, iso: str) -> None:
    time = read_time(text)
    assert time is not None
    assert time.isoformat() == iso


@pytest.mark.parametrize(
    "text", ["", "-", "soon", "2023-11-21", "2023-13-21 10:00", "05/06/2023 10:00", "31/31/2023 10:00", "1" * 5000]
)
def test_what_is_no_certain_time_is_none(text: str) -> None:
    assert read_time(text) is None


def test_other_dates_of_a_column_tell_the_order() -> None:
    assert day_comes_first(["05/06/2023 10:00", "21/11/2023 10:00"]) is True
    assert day_comes_first(["05/06/2023 10:00", "11/21/2023 10:00"]) is False
    assert day_comes_first(["21/11/2023 10:00", "11/21/2023 10:00"]) is None
    assert read_time("05/06/2023 10:00", day_first=True) == datetime.fromisoformat("2023-06-05T10:00")


@given(st.datetimes(timezones=st.none() | st.timezones().map(lambda _: None)))
def test_iso_round_trip(time: datetime) -> None:
    assert read_time(time.isoformat()) == time


@given(st.text(max_size=90))
def test_no_text_raises(text: str) -> None:
    read_time(text)
