"""Counting functions in other shapes than those of the first family, and figures that they print."""

# ruff: noqa: E501 a cell's source stays on one line

from tests.generated.function_forms import Forms, Piece

_CALL = "model = get_peft_model(model, config)\nprint_trainable_parameters(model)"
_FIGURES = "trainable params: {} || all params: {} || trainable%: {}\n"


def _function(body: str, *more: Piece, arguments: str = "model") -> list[Piece]:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return [(f"def print_trainable_parameters({arguments}):\n{lines}",), *(more or ((_CALL,),))]


def _printed(trainable: str, total: str, share: str = "", call: str = _CALL) -> list[Piece]:
    return [(call, _FIGURES.format(trainable, total, share))]


_TAIL = "print(f'trainable: {t} of {n} ({100 * t / n:.4f} %)')"

RIGHT: Forms = {
    "two lists": _function(
        "every = [p for p in model.parameters()]\nlearned = [p for p in every if p.requires_grad]\n"
        "t = sum(map(lambda p: p.numel(), learned))\nn = sum(map(lambda p: p.numel(), every))\n" + _TAIL
    ),
    "torch.numel": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += torch.numel(p)\n    if p.requires_grad:\n        t += torch.numel(p)\n"
        + _TAIL
    ),
    "map of a method": _function(
        "n = sum(map(torch.numel, model.parameters()))\nt = sum(map(torch.numel, filter(lambda p: p.requires_grad, model.parameters())))\n"
        + _TAIL
    ),
    "named, in a comprehension": _function(
        "t = sum(p.numel() for name, p in model.named_parameters() if p.requires_grad)\n"
        "n = sum(p.numel() for name, p in model.named_parameters())\n" + _TAIL
    ),
    "walrus": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += (k := p.numel())\n    t += k if p.requires_grad else 0\n"
        + _TAIL
    ),
    "and": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += p.numel()\n    t += p.requires_grad and p.numel() or 0\n"
        + _TAIL
    ),
    "getattr": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += p.numel()\n    if getattr(p, 'requires_grad', False):\n        t += p.numel()\n"
        + _TAIL
    ),
    "int of the flag": _function(
        "t = sum(int(p.requires_grad) * p.numel() for p in model.parameters())\nn = sum(p.numel() for p in model.parameters())\n"
        + _TAIL
    ),
    "reduce": _function(
        "from functools import reduce\nn = reduce(lambda a, p: a + p.numel(), model.parameters(), 0)\n"
        "t = reduce(lambda a, p: a + (p.numel() if p.requires_grad else 0), model.parameters(), 0)\n" + _TAIL
    ),
    "numpy sum": _function(
        "t = np.sum([p.numel() for p in model.parameters() if p.requires_grad])\nn = np.sum([p.numel() for p in model.parameters()])\n"
        + _TAIL
    ),
    "tensor of sizes": _function(
        "t = sum(np.prod(list(p.shape)) for p in model.parameters() if p.requires_grad)\n"
        "n = sum(np.prod(list(p.shape)) for p in model.parameters())\n" + _TAIL
    ),
    "shape.numel": _function(
        "n = sum(p.shape.numel() for p in model.parameters())\nt = sum(p.shape.numel() for p in model.parameters() if p.requires_grad)\n"
        + _TAIL
    ),
    "Counter": _function(
        "from collections import Counter\nc = Counter()\nfor p in model.parameters():\n    c[p.requires_grad] += p.numel()\n"
        "t, n = c[True], c[True] + c[False]\n" + _TAIL
    ),
    "defaultdict": _function(
        "from collections import defaultdict\nc = defaultdict(int)\nfor p in model.parameters():\n    c['n'] += p.numel()\n"
        "    if p.requires_grad:\n        c['t'] += p.numel()\nprint('trainable', c['t'], 'all', c['n'])"
    ),
    "index": _function(
        "ps = list(model.parameters())\nt = n = 0\nfor i in range(len(ps)):\n    n += ps[i].numel()\n    if ps[i].requires_grad:\n        t += ps[i].numel()\n"
        + _TAIL
    ),
    "enumerate": _function(
        "t = n = 0\nfor i, (name, p) in enumerate(model.named_parameters()):\n    n += p.numel()\n    if p.requires_grad: t += p.numel()\n"
        + _TAIL
    ),
    "inner function": _function(
        "def count(only):\n    return sum(p.numel() for p in model.parameters() if p.requires_grad or not only)\nt, n = count(True), count(False)\n"
        + _TAIL
    ),
    "percent by round": _function(
        "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\n"
        "pct = round(t / n * 100, 2)\nprint('Trainable: ' + str(t) + ' / ' + str(n) + ' = ' + str(pct) + '%')"
    ),
    "typed arguments": _function(
        "t: int = 0\nn: int = 0\nfor p in model.parameters():\n    n += p.numel()\n    if p.requires_grad:\n        t += p.numel()\n"
        + _TAIL,
        arguments="model: nn.Module, verbose: bool = True",
    ),
    "modules": _function(
        "t = n = 0\nfor module in model.modules():\n    for p in module.parameters(recurse=False):\n        n += p.numel()\n        if p.requires_grad:\n            t += p.numel()\n"
        + _TAIL
    ),
    "state of pairs": _function(
        "sizes = {name: (p.numel(), p.requires_grad) for name, p in model.named_parameters()}\n"
        "t = sum(k for k, g in sizes.values() if g)\nn = sum(k for k, _ in sizes.values())\n" + _TAIL
    ),
    "frozen taken away": _function(
        "n = sum(p.numel() for p in model.parameters())\nfrozen = sum(p.numel() for p in model.parameters() if not p.requires_grad)\nt = n - frozen\n"
        + _TAIL
    ),
    "logging": _function(
        "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\nlogger.info('%d of %d', t, n)\nreturn t, n"
    ),
    "display": _function(
        "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\ndisplay(pd.DataFrame({'trainable': [t], 'all': [n]}))\nreturn {'trainable': t, 'all': n}"
    ),
    "while and iterator": _function(
        "t = n = 0\nit = iter(list(model.parameters()))\nfor p in it:\n    n += p.numel()\n    if p.requires_grad is not False:\n        t += p.numel()\n"
        + _TAIL
    ),
    "multiplied sizes": _function(
        "t = n = 0\nfor p in model.parameters():\n    s = 1\n    for k in list(p.size()):\n        s = s * k\n    n = n + s\n    if p.requires_grad == 1:\n        t = t + s\n"
        + _TAIL
    ),
    "4-bit unpacked": _function(
        "t = n = 0\nfor name, p in model.named_parameters():\n    k = p.numel()\n    if hasattr(p, 'quant_state'):\n        k *= 2\n    n += k\n    if p.requires_grad:\n        t += k\n"
        + _TAIL
    ),
    "guarded": _function(
        "if model is None:\n    raise ValueError('no model')\nt = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\n"
        + _TAIL
    ),
    "no division by zero": _function(
        "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\npct = 100 * t / n if n > 0 else 0.0\nprint(f'trainable params: {t:,d} || all params: {n:,d} || trainable%: {pct:.4f}')"
    ),
    "stars": _function(
        "t, n = 0, 0\nfor *_, p in model.named_parameters():\n    n += p.numel()\n    t += p.numel() if p.requires_grad else 0\n"
        + _TAIL
    ),
    "lambda": [
        (
            "print_trainable_parameters = lambda m: print(sum(p.numel() for p in m.parameters() if p.requires_grad), sum(p.numel() for p in m.parameters()))",
        ),
        (_CALL,),
    ],
    "figures of the 4-bit model today": _printed("257224704", "408219648", "63.01"),
    "figures of the 4-bit model in 2023": _printed("257003520", "408219648", "62.957"),
    "figures with dots": [(_CALL, "Parameters to train: 1.572.864\nAll parameters: 409.792.512\n")],
    "figures with spaces": [(_CALL, "trainable: 1 572 864 / total: 409 792 512\n")],
    "share as a fraction": _printed("1572864", "409792512", "0.003838196"),
    "peft's counts": [("model.get_nb_trainable_parameters()", "(1572864, 560787456)")],
    "before and after": [
        ("print_trainable_parameters(model)", _FIGURES.format("0", "408219648", "0.0")),
        (_CALL, _FIGURES.format("1572864", "409792512", "0.38382")),
    ],
}

PERSON: Forms = {
    "nothing trains": _printed("0", "408219648", "0.0"),
    "plain model": _printed("559214592", "559214592", "100.0"),
    "trainable only": _function("t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nprint(t)"),
    "another name": [("def show(model):\n    model.print_trainable_parameters()\nshow(model)",)],
    "rank 4": _printed("393216", "408612864", "0.0962"),
    "rank 64": _printed("6291456", "414511104", "1.5178"),
    "on dense": _printed("786432", "409006080", "0.19228"),
    "on four modules": _printed("6291456", "414511104", "1.5"),
    "bloom-1b1": _printed("2359296", "1067673600", "0.22097"),
    "all as trainable": _printed("409792512", "409792512", "100.0"),
    "labels swapped": _printed("409792512", "1572864", "26054"),
}

WRONG: Forms = {
    "by name": _function(
        "t = sum(p.numel() for name, p in model.named_parameters() if 'weight' in name)\nn = sum(p.numel() for p in model.parameters())\n"
        + _TAIL
    ),
    "tensors": _function(
        "t = len([p for p in model.parameters() if p.requires_grad])\nn = len(list(model.parameters()))\n" + _TAIL
    ),
    "first axis": _function(
        "t = sum(p.shape[0] for p in model.parameters() if p.requires_grad)\nn = sum(len(p) for p in model.parameters())\n"
        + _TAIL
    ),
    "bytes": _function(
        "t = sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() * p.element_size() for p in model.parameters())\n"
        + _TAIL
    ),
    "the other branch": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += p.numel()\n    if p.requires_grad:\n        pass\n    else:\n        t += p.numel()\n"
        + _TAIL
    ),
    "all only where trained": _function(
        "t = n = 0\nfor p in model.parameters():\n    if p.requires_grad:\n        t += p.numel()\n        n += p.numel()\n"
        + _TAIL
    ),
    "returned too early": _function(
        "t = n = 0\nfor p in model.parameters():\n    n += p.numel()\n    if p.requires_grad:\n        t += p.numel()\n    return t, n"
    ),
    "made trainable": _function(
        "for p in model.parameters():\n    p.requires_grad = True\nt = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\n"
        + _TAIL
    ),
    "typed in the function": [
        ("def print_trainable_parameters(model):\n    print('trainable params: 1572864 || all params: 409792512')",),
        (_CALL, "trainable params: 1572864 || all params: 409792512\n"),
    ],
    "typed as numbers": [
        (
            "def print_trainable_parameters(model):\n    t, n = 1_572_864, 409_792_512\n    print(f'trainable params: {t} || all params: {n}')",
        ),
        (_CALL, "trainable params: 1572864 || all params: 409792512\n"),
    ],
    "typed in another cell": [
        ("text = 'trainable params: 1,572,864 || all params: 409,792,512'",),
        ("print(text)", "trainable params: 1,572,864 || all params: 409,792,512\n"),
    ],
    "echo": [
        ("!echo trainable params: 1572864 all params: 409792512", "trainable params: 1572864 all params: 409792512\n")
    ],
    "in a remark": [("# p.numel() for p in model.parameters() if p.requires_grad\n# 1572864 of 409792512",)],
    "in a text": [
        (
            "code = '''def print_trainable_parameters(model):\n    t = sum(p.numel() for p in model.parameters() if p.requires_grad)'''",
        )
    ],
    "dead": [
        (
            "if False:\n    def print_trainable_parameters(model):\n        t = sum(p.numel() for p in model.parameters() if p.requires_grad)\n        n = sum(p.numel() for p in model.parameters())\n        print(t, n)",
        )
    ],
    "dead body": _function(
        "return\nt = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())\n"
        + _TAIL
    ),
    "never true": _function(
        "if 0:\n    t = sum(p.numel() for p in model.parameters() if p.requires_grad)\n    n = sum(p.numel() for p in model.parameters())\n    print(t, n)"
    ),
    "not printed": _function(
        "t = sum(p.numel() for p in model.parameters() if p.requires_grad)\nn = sum(p.numel() for p in model.parameters())"
    ),
    "written over": [
        (
            "def print_trainable_parameters(model):\n    t = sum(p.numel() for p in model.parameters() if p.requires_grad)\n    n = sum(p.numel() for p in model.parameters())\n    print(t, n)\n\ndef print_trainable_parameters(model):\n    print('no idea')",
        ),
        (_CALL, "no idea\n"),
    ],
    "gap: none": _function("t = None # fill me\nn = None # fill me\n" + _TAIL),
    "gap: zero": _function(
        "t = 0\nn = 0\nfor name, p in model.named_parameters():\n    pass # complete here\n" + _TAIL
    ),
    "gap: not implemented": _function("# your code here\nraise NotImplementedError"),
    "gap: dots": _function("t = ...\nn = ...\nprint(t, n)"),
}
