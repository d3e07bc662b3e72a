"""Text that programs wrote to a terminal, as it is shown at the end."""

import pytest

from grader.reading.terminal import as_shown, overwrites


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\r\nb\n", "a\nb\n"),
        ("10%\r 50%\r100%\ndone", "100%\ndone"),
        ("100% of a long bar\rshort\n", "short\n"),
        ("bar 1\r\x1b[Kbar 2\n", "bar 2\n"),
        ("bar" + " " * 3 + "\r" + " " * 6 + "\rafter\n", "after\n"),
        ("state 1\b\b\b\b\b\b\bstate 2\n", "state 2\n"),
        ("loss: 0.5\b\b\b0.4\n", "loss: 0.4\n"),
        ("kept\b\b\b\b\n", "kept\n"),
        ("outer 0%\n\rinner 0%\x1b[A\n\rinner 100%\x1b[A\router 100%\n", "outer 100%\ninner 100%"),
        (
            "outer 50%\n\rinner 9%\x1b[A2023 | INFO | train | epoch 1\nnext\n",
            "outer 50%2023 | INFO | train | epoch 1\nnext\n",
        ),
        ("\x1b[1;31mred\x1b[0m\n", "red\n"),
        ("\x1b[9999A\x1b[A\b\b\rx", "x"),
    ],
)
def test_what_is_written_over_is_gone(written: str, shown: str) -> None:
    assert as_shown(written) == shown


def test_only_what_moves_the_cursor_back_writes_over_a_line() -> None:
    assert [overwrites(text) for text in ("\r 10%", "\b\b", "\x1b[A\r", "\r\n", "x\r", "")] == [
        *[True] * 3,
        *[False] * 3,
    ]


def test_a_million_states_are_read_in_seconds() -> None:
    assert as_shown("".join(f"\r{state}" for state in range(300_000))) == "299999"
