"""Answers about quantisation in other shapes than those of the first family. They are not varied."""

# ruff: noqa: E501 a cell's source stays on one line

from tests.generated.function_forms import Forms

_LOAD = 'model = AutoModelForCausalLM.from_pretrained("bigscience/bloom-560m", quantization_config=cfg)'

RIGHT: Forms = {
    "module by another name": [
        ("import transformers as tf\ncfg = tf.BitsAndBytesConfig(load_in_4bit=True)\n" + _LOAD,)
    ],
    "class by another name": [
        ("from transformers import BitsAndBytesConfig as BNB",),
        ("cfg = BNB(load_in_4bit=True, bnb_4bit_compute_dtype=torch.float16)",),
    ],
    "class kept under a name": [("Config = transformers.BitsAndBytesConfig\ncfg = Config(load_in_4bit=True)",)],
    "attribute set after": [("cfg = BitsAndBytesConfig()\ncfg.load_in_4bit = True\ncfg.bnb_4bit_quant_type = 'nf4'",)],
    "attribute set in another cell": [
        ("cfg = BitsAndBytesConfig(bnb_4bit_quant_type='nf4')",),
        ("cfg.load_in_4bit = True",),
    ],
    "setattr": [("cfg = BitsAndBytesConfig()\nsetattr(cfg, 'load_in_4bit', True)",)],
    "from_dict": [("cfg = BitsAndBytesConfig.from_dict({'load_in_4bit': True, 'bnb_4bit_quant_type': 'fp4'})",)],
    "from_dict of a name": [
        ("settings = dict(load_in_4bit=True, bnb_4bit_use_double_quant=True)",),
        ("cfg = transformers.BitsAndBytesConfig.from_dict(settings)",),
    ],
    "from_dict of JSON": [("import json\ncfg = BitsAndBytesConfig.from_dict(json.loads('{\"load_in_4bit\": true}'))",)],
    "entries added": [
        ("kw = {}\nkw['load_in_4bit'] = True\nkw['bnb_4bit_quant_type'] = 'nf4'\ncfg = BitsAndBytesConfig(**kw)",)
    ],
    "updated": [("kw = {'load_in_8bit': False}\nkw.update({'load_in_4bit': True})\ncfg = BitsAndBytesConfig(**kw)",)],
    "updated by keyword": [("kw = dict()\nkw.update(load_in_4bit=True)\ncfg = BitsAndBytesConfig(**kw)",)],
    "unpacked into another": [
        (
            "base = {'load_in_4bit': True}\nfull = {**base, 'bnb_4bit_quant_type': 'nf4'}\n"
            "cfg = BitsAndBytesConfig(**full)",
        )
    ],
    "joined tables": [
        ("a = {'load_in_4bit': True}\nb = {'bnb_4bit_quant_type': 'nf4'}\ncfg = BitsAndBytesConfig(**(a | b))",)
    ],
    "table of tables": [
        ("settings = {'quant': {'load_in_4bit': True}, 'lr': 1e-4}\ncfg = BitsAndBytesConfig(**settings['quant'])",)
    ],
    "zip": [
        ("keys = ['load_in_4bit', 'bnb_4bit_quant_type']\ncfg = BitsAndBytesConfig(**dict(zip(keys, [True, 'nf4'])))",)
    ],
    "comprehension": [
        (
            "pairs = [('load_in_4bit', True), ('bnb_4bit_quant_type', 'nf4')]\ncfg = BitsAndBytesConfig(**{k: v for k, v in pairs})",
        )
    ],
    "class of constants": [
        ("class C:\n    four = True\n    kind = 'nf4'",),
        ("cfg = BitsAndBytesConfig(load_in_4bit=C.four, bnb_4bit_quant_type=C.kind)",),
    ],
    "namespace": [
        (
            "from types import SimpleNamespace\nargs = SimpleNamespace(four=True)\ncfg = BitsAndBytesConfig(load_in_4bit=args.four)",
        )
    ],
    "negation": [("eight = False\ncfg = BitsAndBytesConfig(load_in_4bit=not eight)",)],
    "comparison": [("bits = 4\ncfg = BitsAndBytesConfig(load_in_4bit=bits == 4, load_in_8bit=bits == 8)",)],
    "partial": [
        ("from functools import partial\nmake = partial(BitsAndBytesConfig, load_in_4bit=True)\ncfg = make()",)
    ],
    "wrapper": [("def make(**kw):\n    return BitsAndBytesConfig(**kw)\ncfg = make(load_in_4bit=True)",)],
    "wrapper with a default": [
        ("def quant(bits=4):\n    return BitsAndBytesConfig(load_in_4bit=(bits == 4))",),
        ("cfg = quant()\n" + _LOAD,),
    ],
    "returned table": [
        ("def options():\n    return dict(load_in_4bit=True, bnb_4bit_compute_dtype='bfloat16')",),
        ("cfg = BitsAndBytesConfig(**options())",),
    ],
    "main": [
        (
            "def main():\n    cfg = BitsAndBytesConfig(load_in_4bit=True)\n    return cfg\n\nif __name__ == '__main__':\n    main()",
        )
    ],
    "with GPU only": [("if torch.cuda.is_available():\n    cfg = BitsAndBytesConfig(load_in_4bit=True)",)],
    "with or without GPU": [
        ("cfg = BitsAndBytesConfig(load_in_4bit=True) if torch.cuda.is_available() else None\n" + _LOAD,)
    ],
    "long path": [
        ("cfg = transformers.utils.quantization_config.BitsAndBytesConfig(\n    load_in_4bit=True,  # 4 bits\n)",)
    ],
    "tried": [("try:\n    cfg = BitsAndBytesConfig(load_in_4bit=True)\nexcept ImportError as e:\n    print(e)",)],
    "walrus": [("print(cfg := BitsAndBytesConfig(load_in_4bit=True))",)],
    "method": [
        (
            "class Loader:\n    def __init__(self):\n        self.cfg = BitsAndBytesConfig(load_in_4bit=True)\n"
            "    def load(self, name):\n        return AutoModelForCausalLM.from_pretrained(name, quantization_config=self.cfg)",
        ),
        ("model = Loader().load('bigscience/bloom-560m')",),
    ],
    "after a first try": [
        ("cfg = BitsAndBytesConfig(load_in_8bit=True)",),
        ("cfg = BitsAndBytesConfig(load_in_4bit=True)",),
    ],
    "installed before": [
        ("!pip install -q bitsandbytes\n%matplotlib inline\ncfg = BitsAndBytesConfig(load_in_4bit=True)\n!nvidia-smi",)
    ],
    "shown": [("BitsAndBytesConfig(load_in_4bit=True, llm_int8_threshold=6.0)", "BitsAndBytesConfig {\n}")],
    "typed assignment": [("cfg: BitsAndBytesConfig = BitsAndBytesConfig(load_in_4bit=True)",)],
    "two at once": [("name, cfg = 'bigscience/bloom-560m', BitsAndBytesConfig(load_in_4bit=True)",)],
    "getattr": [("cfg = getattr(transformers, 'BitsAndBytesConfig')(load_in_4bit=True)",)],
    "a table for the class": [
        ("m = AutoModelForCausalLM.from_pretrained(name, quantization_config={'load_in_4bit': True})",)
    ],
}

PERSON: Forms = {
    "straight": [("model = AutoModelForCausalLM.from_pretrained('bigscience/bloom-560m', load_in_4bit=True)",)],
    "straight by a table": [("kw = dict(load_in_4bit=True)\nm = AutoModelForCausalLM.from_pretrained(name, **kw)",)],
    "from a file": [("cfg = BitsAndBytesConfig(**yaml.safe_load(open('quant.yaml')))",)],
    "from the command line": [("args = parser.parse_args()\ncfg = BitsAndBytesConfig(load_in_4bit=args.four)",)],
    "of another library": [
        ("from unsloth import FastLanguageModel\nm, t = FastLanguageModel.from_pretrained(name, load_in_4bit=True)",)
    ],
}

WRONG: Forms = {
    "plural": [("cfg = BitsAndBytesConfig(load_in_4bits=True)",)],
    "underscore": [("cfg = BitsAndBytesConfig(load_in_4_bit=True)",)],
    "short names": [("cfg = BitsAndBytesConfig(load_in_4bit=True, use_double_quant=True, quant_type='nf4')",)],
    "compute type": [("cfg = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_type=torch.float16)",)],
    "a number": [("cfg = BitsAndBytesConfig(load_in_4bit=1)",)],
    "a text": [("cfg = BitsAndBytesConfig(load_in_4bit='True')",)],
    "none": [("cfg = BitsAndBytesConfig(load_in_4bit=None)",)],
    "both": [("cfg = BitsAndBytesConfig(load_in_4bit=True, load_in_8bit=True)",)],
    "switched off after": [("cfg = BitsAndBytesConfig(load_in_4bit=True)\ncfg.load_in_4bit = False",)],
    "capitals": [("cfg = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='NF4')",)],
    "kind by a name": [("kind = 'int4'\ncfg = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=kind)",)],
    "only a kind": [("cfg = BitsAndBytesConfig(bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True)",)],
    "another class": [("cfg = GPTQConfig(bits=4, tokenizer=tokenizer)",)],
    "dead": [("if False:\n    cfg = BitsAndBytesConfig(load_in_4bit=True)",)],
    "dead by a name": [
        ("DEBUG = 0\nif DEBUG:\n    cfg = BitsAndBytesConfig(load_in_4bit=True)\nelse:\n    cfg = None",)
    ],
    "dead loop": [("for _ in []:\n    cfg = BitsAndBytesConfig(load_in_4bit=True)",)],
    "dead after return": [("def load():\n    return None\n    cfg = BitsAndBytesConfig(load_in_4bit=True)\nload()",)],
    "never called": [("def unused():\n    return BitsAndBytesConfig(load_in_4bit=True)",), ("print('done')",)],
    "of its own": [
        ("class BitsAndBytesConfig:\n    def __init__(self, **kw): pass\ncfg = BitsAndBytesConfig(load_in_4bit=True)",)
    ],
    "a function of its own": [
        ("def BitsAndBytesConfig(**kw):\n    return kw\ncfg = BitsAndBytesConfig(load_in_4bit=True)",)
    ],
    "text in a name": [("s = '''cfg = BitsAndBytesConfig(load_in_4bit=True)'''",)],
    "docstring": [('def load():\n    """BitsAndBytesConfig(load_in_4bit=True)"""\n    return None',)],
    "table that is not used": [("kw = {'load_in_4bit': True}\ncfg = BitsAndBytesConfig()",)],
    "keyword in the text": [("cfg = BitsAndBytesConfig('load_in_4bit=True')",)],
    "compared": [("cfg = BitsAndBytesConfig(load_in_4bit == True)",)],
    "gap: ellipsis": [("cfg = BitsAndBytesConfig(...)", "", False)],
    "gap: named": [("cfg = BitsAndBytesConfig(load_in_4bit=<your code>, bnb_4bit_quant_type=<your code>)", "", False)],
    "gap: none": [("cfg = None # fill me", "", False)],
    "gap: comment only": [("# TODO: BitsAndBytesConfig\n", "", False)],
}
