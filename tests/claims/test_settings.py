"""Values of options, keyword arguments and entries of configurations are never results."""

import pytest

from grader.claims.passage import normalise
from grader.claims.results.claimed import result_claims, unseen
from grader.claims.results.numbers import numbers_in
from grader.claims.sections import sections
from grader.claims.settings import setting_spans
from tests.claims.making import document, lab

SETTINGS = [
    '--adam-betas "(0.9, 0.98)" --adam-eps 1e-08 --weight-decay 0.01 \\',
    "--optimizer adam --adam-betas '(0.9, 0.98)'",
    "–adam-betas (0.9, 0.98)",
    "--adam-betas 0.9 0.98 --dropout=0.1",
    "    --arg-of-some-tool 0.75 \\",
    "optimizer = Adam(model.parameters(), lr=1e-5, betas=(0.9, 0.98))",
    "    warmup_ratio=0.06,",
    "train_test_split(texts, test_size=0.25)",
    "adam_beta2: 0.98",
    '"lora_dropout": 0.05,',
    "label_smoothing: 0.1",
    "We use Adam (β = (0.9, 0.98)) with `betas=(0.9, 0.98)`.",
    "'curriculum': 0.75, 'adam_betas': '(0.9, 0.98)', 'sample': 0.5, 'restore_file': 'model.pt'",
    "Namespace(adam_betas='(0.9, 0.98)', quant_noise_pq=0.75, layers=0.5)",
]
RESULTS = {
    "test accuracy = 0.793": "0.793",
    "eval_accuracy: 0.801": "0.801",
    "seed_1: 79.3": "79.3",
    "{'lr': 1e-5, 'warmup_ratio': 0.06, 'test': 79.3, 'valid': 81.0}": "79.3 81.0",
    "accuracy of 79.3 % with --adam-betas (0.9, 0.98)": "79.3",
    "the success rate: 79.3 %": "79.3",
    "pretrained: 79.3": "79.3",
    "dict(acc=0.79, lr=1e-5, seed=1)": "0.79 1",
    "Acc@1: 79.3 - 80.1": "79.3 80.1",
}


@pytest.mark.parametrize("text", SETTINGS)
def test_values_of_settings_are_no_numbers_of_results(text: str) -> None:
    plain = normalise(text).text
    assert numbers_in(plain) == []
    assert unseen(plain, set()) == []


@pytest.mark.parametrize(("text", "numbers"), RESULTS.items())
def test_results_beside_settings_are_read(text: str, numbers: str) -> None:
    assert " ".join(str(one.value) for one in numbers_in(text)) == numbers


@pytest.mark.parametrize(
    "listing",
    [
        "```bash\nfairseq-train data \\\n  --adam-betas '(0.9, 0.98)' \\\n  --dropout 0.1\n```",
        "```yaml\nadam_beta2: 0.98\n```",
    ],
)
def test_a_listing_of_settings_reports_nothing(listing: str) -> None:
    found = result_claims(
        sections(document(f"# Task 3\n\nWe fine-tune the pretrained model.\n\n{listing}\n"), lab()), lab()
    )
    assert (found.seeds, found.summaries, found.course, found.loose) == ((), (), (), ())


def test_a_long_text_of_settings_is_read_soon() -> None:
    assert len(setting_spans("--a-b 0.5 " * 20_000)) == 20_000
    assert setting_spans("(" * 50_000 + "=" * 50_000) == ()
