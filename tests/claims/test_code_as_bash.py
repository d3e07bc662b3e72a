"""The commands that are found in a shell text are those that bash runs.

The scripts are run here, as they are ours: `run` prints its words.
"""

import shutil
import subprocess

import pytest

from grader.claims.code.shell import commands_in

SCRIPTS = [
    "run a b c",
    "run a; run b && run c\nrun e | cat",
    "run 'a b' \"c d\" e\\ f",
    "run a \\\n  b \\\n  c\nrun d",
    "# nothing\nrun a # no more",
    'X=1\nrun $X ${X} "$X"',
    "X=1; Y=$X-2\nexport Z=3\nrun $X $Y $Z",
    "X=1 Y=2\nrun $X$Y\nX=5\nrun $X",
    'X=a\nX=\nrun "$X" b',
    "for s in 0 1 2; do run --seed $s; done",
    "for s in 0 1 2\ndo\n  run --seed ${s}\ndone\nrun end $s",
    "for s in {0..2}; do run $s; done",
    "for s in {3..3}; do run $s; done",
    "for s in $(seq 3); do run $s; done",
    "for s in $(seq 2 4); do run $s; done",
    "for s in `seq 0 1`; do run $s; done",
    "for ((i=0; i<3; i++)); do run $i; done",
    "for (( i = 1; i <= 2; i++ )); do\n run $i\ndone",
    'SEEDS="7 8"\nfor s in $SEEDS; do run $s; done',
    "for a in x y; do for b in 1 2; do run $a$b; done; run $a; done",
    "for a in x y; do run $a; done; for b in z; do run $b; done",
    "run a > /dev/null 2>&1; run b",
    "run a 2>&1\nrun b >> /dev/null",
    "(run a; run b)",
    "{ run a; run b; }",
    'OPTIONS="--x 1 --y 2"\nrun $OPTIONS z',
    "if true; then run a; fi",
    "A=(1 2 3)\nfor a in ${A[@]}; do run $a; done",
    "readonly N=4\ndeclare M=5\nrun $N $M",
    "run --text='a b' --other=\"c\"",
    "bash -c 'run a; run b'",
    "X='run a b'; eval $X; run c",
    "run a # don't\nrun b\nrun c # isn't done",
    "run it\\'s a\nrun b\nrun that\\'s c",
    "",
    "\n\nrun a\n\n\nrun b",
]


def run_by_bash(script: str) -> list[str]:
    """The words of each call of `run`, joined by bars, in the order of the calls."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    told = "run() { (IFS='|'; echo \"$*\" >&9); }\nexport -f run\n"
    shell = ["bash", "--norc", "-c", f"exec 9>&1 1>/dev/null\n{told}{script}"]
    return subprocess.run(shell, capture_output=True, text=True, timeout=20, check=False).stdout.splitlines()


@pytest.mark.parametrize("script", SCRIPTS)
def test_commands_are_those_that_bash_runs(script: str) -> None:
    found = commands_in(script, {})
    assert ["|".join(one.words[1:]) for one in found if one.words[0] == "run"] == run_by_bash(script)


def test_each_command_is_on_the_line_that_it_begins_on() -> None:
    script = "\nrun a\n# b\nfor s in 1 2; do\n  run \\\n  c\ndone\nrun d; run e"
    assert [one.line for one in commands_in(script, {}) if one.words[0] == "run"] == [1, 4, 4, 7, 7]
