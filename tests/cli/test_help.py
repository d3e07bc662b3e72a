"""What `grade --help` lists."""

import re

import click
import pytest

from grader.cli.run import run_command
from tests.conftest import run_grade


def test_the_help_names_every_option_of_grading_once_under_what_it_is_about() -> None:
    told = run_grade("--help").stdout
    options = [one.opts[0] for one in run_command.params if isinstance(one, click.Option)]
    assert sorted(re.findall(r"(?m)^  (--[\w-]+)", told)) == sorted(options)


def test_the_help_says_in_whole_lines_what_each_verb_does() -> None:
    told = run_grade("--help").stdout
    for verb in ("run", "check", "serve", "export", "regrade", "lab", "package", "doctor", "truth", "read"):
        assert re.search(rf"(?m)^  {verb} +[A-Z].*\.$", told), verb
    assert "..." not in told.split("Input:")[0].replace("PATH...", "").replace("VERB ...", "")


@pytest.mark.parametrize("verb", ["regrade verify", "regrade finish", "serve review", "export history", "lab init"])
def test_the_former_name_of_a_verb_does_the_same_and_tells_the_new_one(verb: str) -> None:
    first, second = verb.split()
    assert re.search(rf"(?m)^ +(grade {first} )?{second} +[A-Z].*\.$", run_grade(first, "--help").stdout)
    now, former = run_grade(first, second, "--help"), run_grade(second, "--help")
    assert (former.returncode, former.stdout) == (0, now.stdout)
    assert former.stdout.startswith(f"Usage: grade {verb} [OPTIONS]")
    assert (now.stderr, len(former.stderr.splitlines())) == ("", 1)
    assert f"`grade {verb}`" in former.stderr
