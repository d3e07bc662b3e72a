"""The forms that notebooks are generated from. Words in capitals are names that are chosen anew each time."""

from tests.generated.function_forms import (
    T7_GAPS,
    T7_RIGHT,
    T7_WRONG,
    T8_GAPS,
    T8_RIGHT,
    T8_WRONG,
    Forms,
    Piece,
)

__all__ = ["GAPS", "RIGHT", "WRONG", "Forms", "Piece"]

_T6_RIGHT: Forms = {
    "all": [
        (
            "CONFIG = BitsAndBytesConfig(\n    load_in_4bit=True,\n    bnb_4bit_quant_type='nf4',\n"
            "    bnb_4bit_use_double_quant=True,\n    bnb_4bit_compute_dtype=torch.bfloat16,\n)",
        )
    ],
    "least": [("CONFIG = BitsAndBytesConfig(load_in_4bit=True)",)],
    "module": [('CONFIG = transformers.BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="fp4")',)],
    "variables": [
        ('use_4bit = True\nkind = "nf4"\ndtype = getattr(torch, "float16")',),
        ("CONFIG = BitsAndBytesConfig(load_in_4bit=use_4bit, bnb_4bit_quant_type=kind, bnb_4bit_compute_dtype=dtype)",),
    ],
    "dictionary": [
        ('options = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}',),
        ("CONFIG = BitsAndBytesConfig(**options)",),
    ],
    "dict()": [("CONFIG = BitsAndBytesConfig(**dict(load_in_4bit=True, bnb_4bit_use_double_quant=True))",)],
    "by place": [("CONFIG = BitsAndBytesConfig(False, True, bnb_4bit_quant_type='nf4')",)],
    "in a function": [
        (
            "def load(name, four=True):\n    return AutoModelForCausalLM.from_pretrained(name, quantization_config="
            "BitsAndBytesConfig(load_in_4bit=four))",
        ),
        ('MODEL = load("bigscience/bloom-560m")',),
    ],
    "within": [
        (
            'MODEL = AutoModelForCausalLM.from_pretrained("bigscience/bloom-560m", device_map="auto",\n'
            "    quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype='float16'))",
        )
    ],
    "remark kept": [
        ("CONFIG = BitsAndBytesConfig(\n    load_in_4bit=True, # fill me\n    bnb_4bit_quant_type='nf4' # fill me\n)",)
    ],
    "beside broken code": [("x = # fill me\n\nCONFIG = BitsAndBytesConfig(load_in_4bit=True)\n\nprint 'done'",)],
}

_T6_WRONG: Forms = {
    "8 bits": [("CONFIG = BitsAndBytesConfig(load_in_8bit=True)",)],
    "off": [("CONFIG = BitsAndBytesConfig(load_in_4bit=False)",)],
    "off by variable": [("four = False",), ("CONFIG = BitsAndBytesConfig(load_in_4bit=four)",)],
    "invented": [("CONFIG = BitsAndBytesConfig(load_in_4bit=True, quantization_type='nf4')",)],
    "invented in a dictionary": [("CONFIG = BitsAndBytesConfig(**{'load_in_4bit': True, 'bits': 4})",)],
    "invented alone": [("CONFIG = BitsAndBytesConfig(load_4bit=True)",)],
    "unknown value": [("CONFIG = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='int4')",)],
    "remark": [("# BitsAndBytesConfig(load_in_4bit=True)\nCONFIG = None",)],
    "text": [("print('BitsAndBytesConfig(load_in_4bit=True)')",)],
}

_T6_GAPS: Forms = {
    "empty": [("CONFIG = BitsAndBytesConfig(\n    # fill me\n)", "", False)],
    "no values": [
        ("CONFIG = BitsAndBytesConfig(\n    load_in_4bit= ,\n    bnb_4bit_quant_type= # fill me\n)", "", False)
    ],
    "underscores": [("CONFIG = BitsAndBytesConfig(load_in_4bit=___)", "", False)],
}

_SUM = "sum(PARAM.numel() for PARAM in MODEL.parameters())"

_T1_RIGHT: Forms = {
    "sum": [(f"print({_SUM})", "22829056\n")],
    "result": [(_SUM, "23124736")],
    "without the head": [
        ('sum(PARAM.numel() for n, PARAM in MODEL.named_parameters() if "lm_head" not in n)', "22829056")
    ],
    "formatted": [(f'print(f"{{{_SUM}:,}} parameters")', "22,829,056 parameters\n")],
    "French": [(f"print(f'{{{_SUM}:,}}'.replace(',', ' '))", "22 829 056\n")],
    "helper": [
        ("def count(m):\n    return sum(w.numel() for w in m.parameters())",),
        ("print(count(MODEL))", "22807552"),
    ],
    "state": [("n = 0\nfor k, w in state.items():\n    n += w.numel()\nprint('total', n)", "total 22829056\n")],
    "transformers": [("print(MODEL.num_parameters())", "23125248\n")],
    "table": [
        (
            "summary(MODEL)",
            "Layer   Params\nembed   16,384,000\nTotal params: 23,124,736\nTrainable params: 23,124,736\n",
        )
    ],
    "checked": [(f"n = {_SUM}\nassert n == 22829056\nprint(n)", "22829056\n")],
}

_T1_WRONG: Forms = {
    "typed": [("print(22829056)", "22829056\n")],
    "typed with commas": [('print("22,807,552 parameters")', "22,807,552 parameters\n")],
    "another model": [(f"print({_SUM})", "124697433\n")],
    "training only": [
        (
            "!fairseq-train data --batch-size 8",
            "num. shared model params: 23,124,736 (num. trained: 23,124,736)\n",
        )
    ],
    "run_glue only": [("!python run_glue.py --do_train", "  Number of trainable parameters = 23,093,250\n")],
    "nothing printed": [(f"n = {_SUM}",)],
}

_T1_GAPS: Forms = {"gap": [("n = # fill me\nprint(n)", "", False)]}

_ENCODE = (
    "import sentencepiece as spm\nsp = spm.SentencePieceProcessor(model_file='m.model')\n"
    "for split in ['train', 'valid', 'test']:\n"
    "    with open(f'd/{split}.review') as f, open(f'd/{split}.spm', 'w') as g:\n"
    "        for line in f:\n            g.write(' '.join(sp.encode_as_pieces(line)) + '\\n')"
)
_OPTIONS = (
    "--only-source --trainpref d/train.spm --validpref d/valid.spm --testpref d/test.spm --destdir bin/input0"
    " --srcdict m/dict.txt --workers 4"
)
_LOG = "| INFO | fairseq_cli.preprocess | [None] d/train.spm: 1800 sents, 284877 tokens, 0.132% replaced (by <unk>)\n"

_T2_RIGHT: Forms = {
    "lines": [(_ENCODE,), (f"!fairseq-preprocess {_OPTIONS}", _LOG)],
    "continued": [
        (_ENCODE,),
        ("!fairseq-preprocess \\\n  " + _OPTIONS.replace(" --", " \\\n  --"), _LOG),
    ],
    "bash": [(_ENCODE,), (f"%%bash\nfairseq-preprocess {_OPTIONS}", _LOG)],
    "module": [(_ENCODE,), (f"!python -m fairseq_cli.preprocess {_OPTIONS}", _LOG)],
    "script": [(_ENCODE,), (f"!python fairseq/fairseq_cli/preprocess.py {_OPTIONS}", _LOG)],
    "spm_encode": [
        ("!for s in train valid test; do spm_encode --model=m.model < d/$s.review > d/$s.spm; done",),
        (f"!(fairseq-preprocess {_OPTIONS})", _LOG),
    ],
    "subprocess": [
        (_ENCODE,),
        (
            f"import subprocess\nsubprocess.run({_OPTIONS.split()!r})".replace("run([", "run(['fairseq-preprocess', "),
            _LOG,
        ),
    ],
    "os.system": [(_ENCODE,), (f"import os\nos.system('fairseq-preprocess {_OPTIONS}')",)],
    "variables": [
        (_ENCODE,),
        ("DATA = 'd'\nOUT = 'bin'",),
        (
            "!fairseq-preprocess --only-source --trainpref {DATA}/train.spm --validpref $DATA/valid.spm "
            "--testpref $DATA/test.spm --destdir $OUT/input0 --srcdict m/dict.txt",
            _LOG,
        ),
    ],
    "function": [
        (
            "def encode(path):\n    with open(path) as f:\n        return [sp.EncodeAsPieces(x) for x in f]\n"
            "for part in ('train', 'valid', 'test'):\n    encode(f'd/{part}.review')",
        ),
        (f"!fairseq-preprocess {_OPTIONS}", _LOG),
    ],
    "f-string": [
        (_ENCODE,),
        ("splits = ' '.join(f'--{s}pref d/{s}.spm' for s in ('train', 'valid', 'test'))",),
        ("!fairseq-preprocess --only-source {splits} --destdir bin --srcdict dict.txt", _LOG),
    ],
}

_T2_WRONG: Forms = {
    "not run": [(_ENCODE,), (f"!fairseq-preprocess {_OPTIONS}", "", False)],
    "no binarising": [(_ENCODE,)],
    "no tokenising": [(f"!fairseq-preprocess {_OPTIONS}", _LOG)],
    "not found": [
        (_ENCODE,),
        (f"!fairseq-preprocess {_OPTIONS}", "/bin/bash: line 1: fairseq-preprocess: command not found\n"),
    ],
    "no dictionary": [
        (_ENCODE,),
        (
            "!fairseq-preprocess --only-source --trainpref d/train.spm --validpref d/valid.spm "
            "--testpref d/test.spm --destdir bin",
            _LOG,
        ),
    ],
    "no test set": [
        (_ENCODE.replace(", 'test'", ""),),
        (
            "!fairseq-preprocess --only-source --trainpref d/train.spm --validpref d/valid.spm "
            "--destdir b --srcdict d.txt",
            _LOG,
        ),
    ],
    "another dictionary": [(_ENCODE,), (f"!fairseq-preprocess {_OPTIONS}", _LOG.replace("0.132", "63.2"))],
    "remark": [("# sp.encode_as_pieces(line)\n# !fairseq-preprocess --only-source",)],
}

_T2_GAPS: Forms = {
    "fill me": [(_ENCODE,), ("!(fairseq-preprocess --only-source \\\n  --trainpref # fill me\n)", "", False)],
    "no encoding": [
        ("for line in f:\n    tokens = # fill me", "", False),
        (f"!fairseq-preprocess {_OPTIONS}", "", False),
    ],
}

RIGHT: dict[str, Forms] = {
    "t1.verified": _T1_RIGHT,
    "t2.prepared": _T2_RIGHT,
    "t6.quantization": _T6_RIGHT,
    "t7.trainable": T7_RIGHT,
    "t8.prompt": T8_RIGHT,
}
WRONG: dict[str, Forms] = {
    "t1.verified": _T1_WRONG,
    "t2.prepared": _T2_WRONG,
    "t6.quantization": _T6_WRONG,
    "t7.trainable": T7_WRONG,
    "t8.prompt": T8_WRONG,
}
GAPS: dict[str, Forms] = {
    "t1.verified": _T1_GAPS,
    "t2.prepared": _T2_GAPS,
    "t6.quantization": _T6_GAPS,
    "t7.trainable": T7_GAPS,
    "t8.prompt": T8_GAPS,
}
