"""`grade doctor` tells what the machine offers, by trying it."""

import json

from grader.pipeline import kernel
from grader.pipeline.doctor import ATTEMPTS
from tests.conftest import run_grade


def test_every_attempt_and_every_library_is_told() -> None:
    done = run_grade("doctor", "--json")
    told = json.loads(done.stdout)
    assert len(told) >= len(ATTEMPTS) + 8
    assert done.returncode == int(any(one["state"] == "lacking" for one in told))
    texts = " ".join(one["what"] for one in told)
    for word in ("Pango", "HarfBuzz", "fonts", "Chromium", "pandoc", "Tesseract", "Landlock", "seccomp", "memory"):
        assert word in texts
    if kernel.landlock_version() and kernel.has_seccomp():
        assert not [one for one in told if "worker can " in one["what"]]


def test_what_is_lacking_comes_with_what_to_do() -> None:
    for one in json.loads(run_grade("doctor", "--json").stdout):
        if one["state"] != "good":
            assert one["remedy"]
