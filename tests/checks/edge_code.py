"""Code, what it printed, and what a report says about it, at the edges of what the checks of the shipped lab tell
apart: values and names, what ran, what is typed and what is printed, other models' figures.
`tests/checks/kept/edge_code.txt` keeps what is made of each.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from grader.reading.notebook import Cell
from tests.checks.making import code


class Work(NamedTuple):
    """An item of the shipped lab, or a watch of it, with cells of a notebook and a report."""

    item: str
    cells: tuple[Cell, ...] = ()
    report: str | None = None


_COUNTING: Final = "print(sum(p.numel() for p in model.parameters()))"
_TRAINABLE: Final = (
    "def print_trainable_parameters(model):\n"
    "    trainable = 0\n    total = 0\n"
    "    for name, p in model.named_parameters():\n"
    "        total += p.numel()\n"
    "        if p.requires_grad:\n            trainable += p.numel()\n"
    "    print(f'trainable: {trainable} all: {total} share: {100 * trainable / total}')"
)
_TOKENISE: Final = (
    "import sentencepiece\ns = SentencePieceProcessor(model_file='sp.model')\nfor x in ('train', 'valid', 'test'): f(x)"
)
_PREFIXES: Final = "--trainpref d/train.spm --validpref d/valid.spm --testpref d/test.spm --srcdict dict.txt"
_BINARISE: Final = f"!fairseq-preprocess --only-source {_PREFIXES} --destdir bin"
_LOG: Final = "| [None] data/{part}.spm: {sents} sents, 284877 tokens, {unknown}% replaced (by <unk>)"
_RIGHT: Final = "--batch-size 8 --max-epoch 5 --lr 1e-05 --warmup-updates 67 --total-num-update 1125 --max-update 1125"
_GLUE: Final = "--per_device_train_batch_size 8 --learning_rate 1e-5 --num_train_epochs 5 --warmup_ratio 0.06"
_VALUES: Final = (
    "r = 16", "lora_alpha = 32", 'target_modules = ["query_key_value"]', "lora_dropout = 0.05", 'bias = "none"',
    'task_type = "CAUSAL_LM"',
)  # fmt: skip


def _cells(*sources: str | tuple[str, str]) -> tuple[Cell, ...]:
    return tuple(code(one) if isinstance(one, str) else code(*one) for one in sources)


def _name(text: str) -> str:
    return " ".join(text.split())[:80]


def _printed(*outputs: str) -> dict[str, Work]:
    return {f"count printed: {_name(one)}": Work("t1.verified", _cells((_COUNTING, one))) for one in outputs}


def _trained(*outputs: str) -> dict[str, Work]:
    called = "print_trainable_parameters(model)"
    return {f"trainable printed: {_name(one)}": Work("t7.trainable", _cells((called, one))) for one in outputs}


def _counting(**sources: str) -> dict[str, Work]:
    return {f"trainable counted: {name}": Work("t7.trainable", _cells(source)) for name, source in sources.items()}


def _configured(*arguments: str) -> dict[str, Work]:
    return {
        f"configured: {one}": Work("t6.quantization", _cells(f"bnb_config = BitsAndBytesConfig({one})"))
        for one in arguments
    }


def _prompted(*bodies: str) -> dict[str, Work]:
    return {
        f"prompt: {_name(one)}": Work(
            "t8.prompt", _cells("def generate_prompt(question, answer=''):\n    " + one.replace("\n", "\n    "))
        )
        for one in bodies
    }


def _ran(*options: str) -> dict[str, Work]:
    return {f"training: {one}": Work("hyperparameters", _cells(f"!{one}")) for one in options}


def _valued(**changes: str) -> dict[str, Work]:
    made: dict[str, Work] = {}
    for name, line in changes.items():
        lines = [line if one.startswith(f"{name} ") else one for one in _VALUES]
        made[f"value: {line or 'no ' + name}"] = Work("q2.values", (), "# Question 2\n\n" + "\n\n".join(lines))
    return made


WORKS: Final[Mapping[str, Work]] = {
    **_printed(
        "22829056",
        "22807552",
        "22819840",
        "23124736",
        "22829057",
        "22829000",
        "22.829056e6",
        "22.8 M",
        "22.83M parameters",
        "22.9 M",
        "Total: 22829056\nTrainable: 22829056",
        "Total: 22829056\nWith head: 23124736",
        "Epoch 22829056",
        "560787456",
        "0",
        "22 829 056",
        "22829056 22829057",
        "Parameter containing: tensor([[0.1, 0.2]])",
        "NameError: name 'model' is not defined",
    ),
    "count typed": Work("t1.verified", _cells(("total = 22829056\nprint(total)", "22829056"))),
    "count of no counting code": Work("t1.verified", _cells(("print(x)", "22829056"))),
    "count without output": Work("t1.verified", _cells(_COUNTING)),
    "count by numel of arrays": Work("t1.verified", _cells(("sum(v.size for v in weights.values())", "22829056"))),
    "count by numel of state": Work(
        "t1.verified", _cells(("sum(v.numel() for v in model.state_dict().values())", "22829056"))
    ),
    "count not run": Work("t1.verified", (code(_COUNTING, ran=False),)),
    "count said": Work("t1.verified", (), "# Task 1\n\nThe code prints 22,829,056."),
    "count said, other": Work("t1.verified", (), "# Task 1\n\nThe code prints 22,829,057."),
    "count said and shown": Work(
        "t1.verified", (), "# Task 1\n\n```\n>>> sum(p.numel() for p in model.parameters())\n22829056\n```\n"
    ),
    "count said beside code": Work("t1.verified", _cells(_COUNTING), "# Task 1\n\nThe code prints 22,829,056."),
    "two counts": Work("t1.verified", _cells((_COUNTING, "22829056"), (_COUNTING, "409792512"))),
    "two counts, turned": Work("t1.verified", _cells((_COUNTING, "409792512"), (_COUNTING, "22829056"))),
    **_trained(
        "trainable: 1572864 all: 409792512 share: 0.3838",
        "trainable: 1572864 all: 560787456 share: 0.2805",
        "trainable: 1572864 all: 560787456 share: 0.3838",
        "trainable: 1572864 all: 409792512 share: 0.0038",
        "trainable: 1572864 all: 409792512 share: 0.0028",
        "trainable: 1572864 all: 409792512",
        "trainable: 1572864",
        "trainable: 1572865 all: 409792512 share: 0.3838",
        "trainable: 409792512 all: 1572864 share: 0.3838",
        "trainable: 409792512 all: 409792512 share: 100.0",
        "trainable: 560787456 all: 560787456 share: 100.0",
        "trainable: 786432 all: 409006080 share: 0.1923",
        "trainable: 786432 all: 560001024 share: 0.1404",
        "trainable: 3145728 all: 411365376 share: 0.7647",
        "trainable: 1.57M all: 409.8M share: 0.38",
        "trainable: 1,572,864 || all: 409,792,512 || 0.38%",
        "0 409792512 0.0",
        "1572864\n409792512\n0.3838",
        "trainable: 1179648 all: 125612544",
        "trainable: 294912 all: 124734720",
        "",
    ),
    **_counting(
        right=_TRAINABLE,
        all_of_them=_TRAINABLE.replace("        if p.requires_grad:\n            trainable", "        trainable"),
        frozen_ones=_TRAINABLE.replace("if p.requires_grad", "if not p.requires_grad"),
        no_total=_TRAINABLE.replace("        total += p.numel()\n", ""),
        names=_TRAINABLE.replace("if p.requires_grad", "if 'lora' in name"),
        doubled=_TRAINABLE.replace("total += p.numel()", "total += 2 * p.numel()"),
        twice=f"{_TRAINABLE}\n\ndef f(m):\n    print(sum(p.numel() for p in m.parameters() if p.requires_grad))",
        called="print_trainable_parameters(model)",
        peft="model.print_trainable_parameters()",
        in_one=(
            "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() "
            "for p in model.parameters())\nprint(t, n, t / n)"
        ),
        gap="def print_trainable_parameters(model):\n    # fill me\n    pass",
    ),
    "trainable said": Work("t7.trainable", (), "# Task 7\n\nThere are 1,572,864 trainable parameters of 409,792,512."),
    "trainable said roughly": Work(
        "t7.trainable", (), "# Task 7\n\nAbout 1.57 million parameters are trained, 0.38 %."
    ),
    "trainable said wrongly": Work(
        "t7.trainable", (), "# Task 7\n\nThere are 2,572,864 trainable parameters of 409,792,512."
    ),
    "trainable said with another share": Work(
        "t7.trainable", (), "# Task 7\n\n1,572,864 of 560,787,456 parameters, 0.28 %."
    ),
    "trainable shown": Work(
        "t7.trainable",
        (),
        "# Task 7\n\n```\ntrainable params: 1572864 || all params: 409792512 || trainable%: 0.3838\n```\n",
    ),
    **_configured(
        "load_in_4bit=True",
        "load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True",
        "load_in_4bit=True, bnb_4bit_quant_type='nf5'",
        "load_in_4bit=True, bnb_4bit_quant_typ='nf4'",
        "load_in_4bit=True, quant='nf4', double=True",
        "load_in_4_bit=True",
        "load_in_8bit=True",
        "load_in_4bit=False",
        "load_in_4bit=1",
        "load_in_4bit=True, load_in_8bit=True",
        "True",
        "",
        "load_in_4bit=True, # fill me",
        "**{'load_in_4bit': True}",
        "load_in_4bit='True'",
    ),
    "configured in a report": Work(
        "t6.quantization", (), "# Task 6\n\n`BitsAndBytesConfig(load_in_4bit=True)` is used."
    ),
    "configured in a block": Work(
        "t6.quantization",
        (),
        "# Task 6\n\n```python\nBitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type='nf4',\n)\n```\n",
    ),
    "configured in words": Work(
        "t6.quantization", (), "# Task 6\n\nThe model is loaded in 4 bits with nf4 and double quantisation."
    ),
    "configured twice": Work(
        "t6.quantization", _cells("BitsAndBytesConfig(load_in_8bit=True)", "BitsAndBytesConfig(load_in_4bit=True)")
    ),
    "configured twice, turned": Work(
        "t6.quantization", _cells("BitsAndBytesConfig(load_in_4bit=True)", "BitsAndBytesConfig(load_in_8bit=True)")
    ),
    "configured, not run": Work("t6.quantization", (code("BitsAndBytesConfig(load_in_4bit=True)", ran=False),)),
    "configured here and there": Work(
        "t6.quantization",
        _cells("BitsAndBytesConfig(load_in_4bit=True)"),
        "# Task 6\n\n`BitsAndBytesConfig(load_in_8bit=True)`",
    ),
    "configured, of no use": Work("t6.quantization", _cells("x = 1\nmodel = load()")),
    **_prompted(
        "return f'<human>: {question}?\\n<assistant>: {answer}'",
        "return f'<human>: {question}\\n<assistant>: {answer}'",
        "return f'<human>: {question}\\n\\n<assistant>: {answer}'",
        "return f'<human>: {question} <assistant>: {answer}'",
        "return f'<human>:{question}\\n<assistant>:{answer}'",
        "return f'<human> {question}\\n<assistant> {answer}'",
        "return f'<Human>: {question}\\n<Assistant>: {answer}'",
        "return f'<user>: {question}\\n<assistant>: {answer}'",
        "return f'<user>: {question}\\n<bot>: {answer}'",
        "return f'<assistant>: {answer}\\n<human>: {question}'",
        "return f'<human>: {question}\\n<assistant>:'",
        "return f'<human>: {question}\\n'",
        "return f'\\n<human>: {question}\\n<assistant>: {answer}\\n'",
        "return f'<human>: {answer}\\n<assistant>: {question}'",
        "return '<human>: question\\n<assistant>: answer'",
        "return '<human>: ' + question + '\\n<assistant>: ' + answer",
        "return '<human>: %s\\n<assistant>: %s' % (question, answer)",
        "return '<human>: {}\\n<assistant>: {}'.format(question, answer)",
        "return question + answer",
        "return f'Question: {question}\\nAnswer: {answer}'",
        "# fill me\npass",
        "return f'''<human>: {question}\n<assistant>: {answer}'''",
        "text = f'<human>: {question}'\ntext += f'\\n<assistant>: {answer}'\nreturn text",
    ),
    "prompt in a report": Work("t8.prompt", (), "# Task 8\n\n```\n<human>: Who?\n<assistant>: Me.\n```\n"),
    "prompt in a line": Work("t8.prompt", (), "# Task 8\n\n`<human>: Who? <assistant>: Me.`"),
    "prompt with other tags": Work("t8.prompt", (), "# Task 8\n\n```\nUSER: Who?\nBOT: Me.\n```\n"),
    "prompt in words": Work(
        "t8.prompt", (), "# Task 8\n\nWe put human before the question and assistant before the answer."
    ),
    "prepared": Work("t2.prepared", _cells(_TOKENISE, (_BINARISE, _LOG.format(part="train", sents=1800, unknown=0.1)))),
    "prepared, many unknown": Work(
        "t2.prepared", _cells(_TOKENISE, (_BINARISE, _LOG.format(part="train", sents=1800, unknown=35.0)))
    ),
    "prepared, some unknown": Work(
        "t2.prepared", _cells(_TOKENISE, (_BINARISE, _LOG.format(part="train", sents=1800, unknown=4.0)))
    ),
    "prepared, other data": Work(
        "t2.prepared", _cells(_TOKENISE, (_BINARISE, _LOG.format(part="train", sents=25000, unknown=0.1)))
    ),
    "prepared, not run": Work("t2.prepared", (code(_TOKENISE), code(_BINARISE, ran=False))),
    "prepared, failed": Work(
        "t2.prepared",
        _cells(
            _TOKENISE,
            (
                _BINARISE,
                'Traceback (most recent call last):\n  File "preprocess.py", line 3\nFileNotFoundError: d/train.spm',
            ),
        ),
    ),
    "prepared, only tokens": Work("t2.prepared", _cells(_TOKENISE)),
    "prepared, only binarised": Work("t2.prepared", _cells(_BINARISE)),
    "prepared, a part missing": Work("t2.prepared", _cells(_TOKENISE, _BINARISE.replace("--testpref d/test.spm ", ""))),
    "prepared, two parts missing": Work(
        "t2.prepared",
        _cells(_TOKENISE, "!fairseq-preprocess --only-source --trainpref d/train.spm --srcdict dict.txt --destdir bin"),
    ),
    "prepared, own dictionary": Work("t2.prepared", _cells(_TOKENISE, _BINARISE.replace("--srcdict dict.txt ", ""))),
    "prepared with labels": Work(
        "t2.prepared",
        _cells(
            _TOKENISE,
            _BINARISE,
            "!fairseq-preprocess --only-source --trainpref d/train.label --validpref d/valid.label --destdir bin/label",
        ),
    ),
    "prepared by spm_encode": Work(
        "t2.prepared", _cells("!spm_encode --model=sp.model < train.txt > train.spm", _BINARISE)
    ),
    "prepared in a loop": Work(
        "t2.prepared",
        _cells("%%bash\nfor s in train valid test; do spm_encode --model sp.model < $s.txt > $s.spm; done", _BINARISE),
    ),
    "prepared in words": Work(
        "t2.prepared", (), "# Task 2\n\nThe text was tokenised with sentencepiece and binarised by fairseq-preprocess."
    ),
    "prepared twice, first failed": Work(
        "t2.prepared", _cells(_TOKENISE, (_BINARISE, "Traceback (most recent call last):\nOSError: no file"), _BINARISE)
    ),
    "prepared twice, last failed": Work(
        "t2.prepared", _cells(_TOKENISE, _BINARISE, (_BINARISE, "Traceback (most recent call last):\nOSError: no file"))
    ),
    "prepared twice, first not run": Work(
        "t2.prepared", (code(_TOKENISE), code(_BINARISE, ran=False), code(_BINARISE), code("x = 1"))
    ),
    "configured in rows": Work(
        "t6.quantization",
        (),
        "# Task 6\n\nBitsAndBytesConfig:\n\n| argument | value |\n|---|---|\n| load_in_4bit | True |\n"
        "| bnb_4bit_quant_type | nf4 |\n",
    ),
    "configured in columns": Work(
        "t6.quantization",
        (),
        "# Task 6\n\n| load_in_4bit | bnb_4bit_quant_type |\n|---|---|\n| True | nf4 |\n",
    ),
    "configured in a sentence with arguments": Work(
        "t6.quantization", (), "# Task 6\n\nWe set load_in_4bit=True and bnb_4bit_quant_type=nf4."
    ),
    "configured in a sentence with one argument": Work("t6.quantization", (), "# Task 6\n\nWe set load_in_4bit=True."),
    "configured, denied": Work("t6.quantization", (), "# Task 6\n\nThe model is not loaded in 4 bits."),
    "configured in 8 bits, said": Work("t6.quantization", (), "# Task 6\n\nThe model is loaded in 8 bits."),
    "configured in a function that is not called": Work(
        "t6.quantization", _cells("def config():\n    return BitsAndBytesConfig(load_in_4bit=True)")
    ),
    "configured in a function that is called": Work(
        "t6.quantization", _cells("def config():\n    return BitsAndBytesConfig(load_in_4bit=True)", "c = config()")
    ),
    "configured directly": Work(
        "t6.quantization",
        _cells("model = AutoModelForCausalLM.from_pretrained('bigscience/bloom-560m', load_in_4bit=True)"),
    ),
    "nothing prepared": Work("t2.prepared", _cells("import os")),
    **_ran(
        f"fairseq-train data {_RIGHT}",
        f"fairseq-train data {_RIGHT} --seed 0",
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--batch-size 8", "--batch-size 9"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--batch-size 8", "--batch-size 4 --update-freq 2"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--batch-size 8", "--batch-size 8 --update-freq 2"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--max-epoch 5", "--max-epoch 6"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--max-epoch 5", "--max-epoch 4"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--lr 1e-05", "--lr 1.1e-05"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--warmup-updates 67", "--warmup-updates 62"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--warmup-updates 67", "--warmup-updates 61"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--warmup-updates 67", "--warmup-updates 73"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--warmup-updates 67", "--warmup-updates 187"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt".replace("--warmup-updates 67", "--warmup-updates 120"),
        f"fairseq-train data {_RIGHT} --restore-file m.pt --lr-scheduler cosine",
        f"fairseq-train data {_RIGHT} --restore-file m.pt --lr-scheduler polynomial_decay",
        f"fairseq-train data {_RIGHT} --restore-file m.pt --max-positions 512",
        f"fairseq-train data {_RIGHT} --restore-file m.pt --max-positions 128",
        f"python run_glue.py {_GLUE}",
        f"python run_glue.py {_GLUE} --seed 42",
        f"python run_glue.py {_GLUE}".replace("--warmup_ratio 0.06", "--warmup_ratio 0.064"),
        f"python run_glue.py {_GLUE}".replace("--warmup_ratio 0.06", "--warmup_ratio 0.07"),
        f"python run_glue.py {_GLUE}".replace("--num_train_epochs 5", "--num_train_epochs 10"),
        f"python run_glue.py {_GLUE}".replace("--learning_rate 1e-5", "--learning_rate 2e-5"),
        f"python run_glue.py {_GLUE} --gradient_accumulation_steps 2",
        f"python run_glue.py {_GLUE} --max_seq_length 512",
        f"python run_glue.py {_GLUE} --max_seq_length 128",
        f"python run_glue.py {_GLUE} --lr_scheduler_type cosine",
        f"python run_glue.py {_GLUE} --do_eval",
    ),
    "trainable counted, and told the other way round": Work(
        "t7.trainable", _cells(_TRAINABLE), "# Task 7\n\ntrainable params: 409792512 || all params: 1572864"
    ),
    "trainable counted, and told of another adapter": Work(
        "t7.trainable", _cells(_TRAINABLE), "# Task 7\n\ntrainable params: 786432 || all params: 560001024"
    ),
    "training: three seeds": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --seed {seed}" for seed in (0, 1, 2)))
    ),
    "training: a seed twice of three": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --seed {seed}" for seed in (0, 0, 2)))
    ),
    "training: a seed twice of four": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --seed {seed}" for seed in (0, 0, 1, 2)))
    ),
    "training: no seed of three": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --save-dir c{seed}" for seed in (0, 1, 2)))
    ),
    "training: no seed of two": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --save-dir c{seed}" for seed in (0, 1)))
    ),
    "training: no seed, an open one": Work(
        "hyperparameters", _cells(*(f"!fairseq-train data {_RIGHT} --seed {seed}" for seed in ("$A", "$B", "1")))
    ),
    **{
        f"{name}, otherwise": one
        for name, one in _valued(
            r="r = 8",
            lora_alpha="lora_alpha = 16",
            target_modules='target_modules = ["q_proj", "v_proj"]',
            lora_dropout="lora_dropout = 0.1",
            bias='bias = "all"',
            task_type='task_type = "SEQ_CLS"',
        ).items()
    },
    **_valued(r="", lora_alpha="", target_modules="", lora_dropout="", bias="", task_type=""),
    **_valued(
        r="r (rank): 16",
        lora_alpha="The scaling lora_alpha is set to 32.0.",
        target_modules="target_modules: query_key_value",
        lora_dropout="lora_dropout = 5 %",
        bias="bias = 'None'",
        task_type="task_type = TaskType.CAUSAL_LM",
    ),
    "values in code": Work(
        "q2.values",
        (),
        "# Question 2\n\n```python\nLoraConfig(r=16, lora_alpha=32, "
        "target_modules=['query_key_value'], lora_dropout=0.05, bias='none', "
        "task_type='CAUSAL_LM')\n```\n",
    ),
    "values in a table": Work(
        "q2.values",
        (),
        "# Question 2\n\n| r | lora_alpha | target_modules | lora_dropout | bias | task_type |"
        "\n|---|---|---|---|---|---|\n| 16 | 32 | query_key_value | 0,05 | none | CAUSAL_LM |"
        "\n",
    ),
    "values in a sentence": Work(
        "q2.values",
        (),
        "# Question 2\n\nWe use r=16, lora_alpha=32, target_modules=query_key_value, "
        "lora_dropout=0.05, bias=none and task_type=CAUSAL_LM.",
    ),
    "values that differ": Work("q2.values", (), "# Question 2\n\n" + "\n\n".join((*_VALUES, "Later we say r = 8."))),
    "values in a cell alone": Work(
        "q2.values", _cells("LoraConfig(r=16, lora_alpha=32)"), "# Question 2\n\nSee the code."
    ),
    "no values": Work("q2.values", (), "# Question 2\n\nThe rank is small and the dropout, too."),
}
