import pytest

from grader.claims.code.typed import typed_lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("test = [79.5, 80.1]", {0}),
        ("results = {\n    'seed 1': 79.5,\n    'seed 2': 80.1,\n}", {1, 2}),
        ("print('mean', np.mean([79.5, 80.1]))", {0}),
        ("frame = pd.DataFrame({'test': [0.79, 0.8]}, index=[1, 2]).round(3)", {0}),
        ("for seed, value in [(1, 79.5), (2, 80.1)]:\n    train(seed, 0.9)", {0}),
        ("scores.append(79.5)", {0}),
        ("best = max(x for x in [79.5, 80.1])", {0}),
        ("mean = (79.5 + 80.1) / 2", {0}),
        ("transform = Compose([Resize(256), Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])", set()),
        ("arguments = TrainingArguments(\n    eval_steps=100,\n    warmup_ratio=0.06,\n)", set()),
        ("trainer = Trainer(\n    precision=16 if args.half else 32,\n)", set()),
        ("if accuracy > 0.795:\n    save(model)", set()),
        ("def train(rate=0.79):\n    return [79.5]", {1}),
        ("!pip install x\ntest = [79.5]", {1}),
    ],
)
def test_data_is_what_is_named_shown_or_averaged(source: str, lines: set[int]) -> None:
    assert typed_lines(source) == lines


def test_lines_of_what_is_no_python_are_looked_at_alone() -> None:
    assert typed_lines("%%time\ntest = [79.5, 80.1]\nthis is no code 79.5") == {1}
    assert typed_lines("cut -f3 < in > 95.1.out\ngrep '^H' file") == frozenset()
