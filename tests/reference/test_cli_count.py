"""`grade truth count`, as a person uses it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reference.cli import truth
from tests.conftest import ROOT
from tests.patience import within

CONFIGS = Path(__file__).parent / "configs"
GPT2 = str(CONFIGS / "gpt2.json")


def count(*arguments: str) -> Result:
    return CliRunner().invoke(truth, ["count", *arguments])


def lines(result: Result) -> list[str]:
    return [" ".join(line.split()) for line in result.output.splitlines()]


def test_the_table() -> None:
    done = count(GPT2, "--task", "causal-lm", "--without", "biases,norms")
    assert done.exit_code == 0, done.output
    shown = lines(done)
    assert "token embedding embedding 50257 x 768 38,597,376 1 38,597,376" in shown
    assert "feed-forward weights: c_fc, c_proj weight 768 x 3072 + 3072 x 768 4,718,592 12 56,623,104" in shown
    assert "each of 12 in h" in shown
    assert any(line.startswith("Tied: lm_head.weight") for line in shown)
    assert any(line.startswith("Closed form:") and "= 124,439,808, as counted" in line for line in shown)
    biases, norms = 12 * (4 * 768 + 3072 + 2 * 768 - 768), (2 * 12 + 1) * 2 * 768
    assert shown[-1] == f"{124_439_808 - biases - norms:,} without biases, norms"


def test_json() -> None:
    done = count(GPT2, "--task", "causal-lm", "--lora", "r=16,target=c_attn", "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    totals = {one["id"]: one["total"] for one in data["totals"]}
    assert data["total"] == totals["all"] == 124_439_808 + totals["trainable"]
    assert totals["trainable"] == 12 * 16 * (768 + 2304)
    assert totals["without-adapters"] == 124_439_808
    assert sum(part["sum"] for part in data["components"]) == data["total"]
    assert data["closed_form"]["total"] == 124_439_808
    assert set(data["versions"]) == {"torch", "transformers", "peft"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.json"], "cannot be read"),
        ([GPT2, "--task", "translation"], "seq2seq-lm"),
        ([GPT2, "--without", "everything"], "biases, norms"),
        ([GPT2, "--lora", "r=16"], "target"),
        ([GPT2, "--lora", "r=16,target=query"], "c_attn"),
    ],
)
def test_mistakes_are_said_in_a_line(arguments: list[str], said: str) -> None:
    done = count(*arguments)
    assert done.exit_code == 2
    assert done.output.startswith("Error: ")
    assert said in done.output
    assert len(done.output.splitlines()) == 1


def test_seventy_thousand_million_parameters_in_seconds() -> None:
    with within(10):
        done = count(str(CONFIGS / "llama-2-70b.json"))
    assert lines(done)[0] == "LlamaForCausalLM (causal-lm), 80 layers"
    assert lines(done)[-1].startswith("68,976,648,192 ")


def script(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_nothing_is_fetched() -> None:
    """Nothing is looked up or connected to, although the configuration names files elsewhere. Libraries may try which
    kinds of sockets there are as they are loaded."""
    guard = """
import sys

def guard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg"):
        print("SOCKET", event, arguments)
        raise SystemExit(3)

sys.addaudithook(guard)
from reference.cli import truth
truth(["count", *sys.argv[1:]])
"""
    config = ROOT / "tests/reference/configs/bert-base.json"
    done = script(guard, str(config), "--lora", "r=4,target=query")
    assert (done.returncode, "SOCKET" in done.stdout) == (0, False), done.stdout + done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(
    "library", ["torch", *(pytest.param(name, marks=pytest.mark.slow) for name in ("transformers", "peft"))]
)
def test_without_the_libraries_one_line_says_how_to_get_them(library: str) -> None:
    code = f"""
import sys
sys.modules[{library!r}] = None
from reference.cli import truth
truth(sys.argv[1:])
"""
    done = script(code, "count", GPT2, "--lora", "r=4,target=c_attn")
    assert done.returncode == 2
    assert done.stderr.strip() == (
        f"Error: {library} is not installed; truths are computed with: pip install 'lab-grader[reference]'"
    )


def test_help_loads_no_library() -> None:
    code = """
import sys
from reference.cli import truth
try:
    truth(["count", "--help"])
finally:
    print({"torch", "transformers", "peft"} & set(sys.modules), file=sys.stderr)
"""
    done = script(code)
    assert "CONFIG.json" in done.stdout
    assert done.stderr.strip() == "set()"
