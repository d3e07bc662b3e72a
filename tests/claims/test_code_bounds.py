"""Code that is made to take for ever, or all memory, is followed within a second."""

# ruff: noqa: E501 a hostile source stays on one line

import gc
from collections.abc import Iterator

import pytest

from tests.claims.test_code_flow import cells
from tests.patience import within

HOSTILE = {
    "while true": "while True:\n    x = 1\n",
    "while count": "i=0\nwhile i < 10**9:\n    i += 1\n    s = 'a'*i\n",
    "nested while": "\n".join(
        "    " * k + f"i{k}=0\n" + "    " * k + f"while i{k} < 60:\n" + "    " * (k + 1) + f"i{k} += 1"
        for k in range(6)
    ),
    "nested for": "\n".join("    " * k + f"for i{k} in range(60):" for k in range(8)) + "\n" + "    " * 8 + "x=1",
    "nested comp": "x=[a for a in range(100) for b in range(100) for c in range(100)]\n" * 50,
    "dictcomp": "x={a:{b:{c:1 for c in range(100)} for b in range(100)} for a in range(100)}\n" * 20,
    "self list": "x=[]\nx.append(x)\nprint(x)\nprint(x==x)\ny=[x,x]\nprint(y==x)\nif x in x: pass",
    "self dict": "d={}\nd['a']=d\nprint(d)\nf(**d)\nd.update(d)\nprint(d==d)\nd|=d",
    "self two": "x=[]\ny=[x]\nx.append(y)\na=[]\nb=[a]\na.append(b)\nprint(x==a)\nf(x=x)",
    "doubling": "x=[1]\n" + "x=[x,x]\n" * 60 + "print(x)\ny=[1]\n" + "y=[y,y]\n" * 60 + "print(x==y)",
    "doubling dict": "x={'a':1}\n" + "x={'a':x,'b':x}\n" * 60 + "print(x)\nf(**x)",
    "deep list": "x=[1]\n" + "x=[x]\n" * 5000 + "print(x)\nf(a=x)\nif x==[1]: pass",
    "reduce": "from functools import reduce\ndef f(a,b): return a+a\nx=reduce(f,['ab']*60,'cd')\nprint(x)",
    "reduce list": "x=reduce(lambda a,b: [a,a], range(60), [1])\nprint(x)\nx==x",
    "map map": "def f(x): return list(map(f, [x]*60))\nf(1)",
    "map two": "def g(x): return list(map(lambda y: list(map(lambda z: list(map(lambda w: w, range(60))), range(60))), range(60)))\nprint(g(1))",
    "partial": "from functools import partial\nf=print\n" + "f=partial(f,1)\n" * 2000 + "f()",
    "partial self": "p=partial(p,1)\nq=partial(p,p)\nq()\nq(q)",
    "class self": "class A:\n    def __init__(self): self.a=A()\n    def f(self): return self.f()\nA().f()",
    "class rec": "class A:\n    def __init__(self): B()\nclass B:\n    def __init__(self): A()\nA()",
    "class attr": "class A: pass\na=A()\na.x=a\nprint(a)\nb=a.x.x.x\nf(**a)",
    "setattr": "x=Foo()\n" + "x.a=x\n" * 1000 + "setattr(x,'b',x)\nprint(x)",
    "template": "t=Template('$a'*5000)\nx=t.substitute(a='b'*20000)\n" + "x=Template(x+x).substitute(a=x)\n" * 200,
    "render": "x=Template('{{ a }}'*3000).render(a='{{ a }}'*3000)\n" * 50,
    "percent": "x='%s'*9000 % (1,2)\n" * 100,
    "fmt": "x='{a}'*5000\ny=x.format(a=x)\n" * 50,
    "fmt nested": "'{0.'+'a.'*9000+'}'.format(x)\nprint('{:{}}'.format(1,10**9))",
    "json": "import json\nx=json.loads('['*90000)\n",
    "json2": "x=json.loads('{'+'\"a\":{'*9000)",
    "big int": "x=10**24\nfor i in range(60): x=x*x\nprint(x, str(x), f'{x:,}')",
    "shift": "x = 1 << 10**9\ny = 2 ** 10 ** 10\n",
    "str mul": "x='a'*10**9\nx=['a']*10**9",
    "range": "for i in range(10**18): pass\nlist(range(10**18))\nsum(range(10**18))\nsorted(range(10**9))",
    "int str": "x=int('9'*5000)\ny=float('1e999')\nprint(round(y), int(y))",
    "walrus": "print((x:=[1]*900), [x:=x+x for _ in range(60)])",
    "star": "f(*[1]*900, **{})\n" + "f(*x)\n" * 10,
    "def many": "\n".join(f"def f{i}(a):\n    return f{i + 1}(a) + f{i + 1}(a)" for i in range(300)),
    "def branch": "\n".join(
        f"def f{i}(a):\n    if a.b: return f{i + 1}(a)\n    if a.c: return f{i + 1}(a)\n    return f{i + 2}(a)"
        for i in range(299)
    ),
    "loop call": "def f(a):\n    for i in range(60):\n        for j in range(60):\n            g(i,j)\ndef g(i,j):\n    for k in range(60): h(k)\ndef h(k):\n    print('x'*1000)\nf(1)",
    "print big": "x='a'*900\nfor i in range(60):\n    for j in range(60):\n        print(x,x,x,x,x,x)",
    "made": "for i in range(60):\n    for j in range(60):\n        x='a'*900\n        y=x+x+x+x+x+x",
    "shell loop": "for i in range(60):\n    for j in range(60):\n        !run {i} {j} " + "x" * 900,
    "bash loop": "%%bash\n" + "for a in {0..60}; do\n" * 4 + "run $a\n" + "done\n" * 4,
    "bash list": "%%bash\n" + "A=(1 2\n" * 2000,
    "bash eval": "%%bash\n" + "eval " * 5000 + "run",
    "bash in bash": "%%bash\n" + "for i in 1; do " * 3000 + "run" + "; done" * 3000,
    "seq": "%%bash\n" + "$(seq " * 5000,
    "env": "import os\nfor i in range(60):\n    os.environ['A'+str(i)]='x'*900\n    !run $A1",
    "deep attr": "x" + ".a" * 2000,
    "deep call": "f(" * 900 + ")" * 900,
    "deep paren": "(" * 5000,
    "deep un": "x=" + "not " * 5000 + "1",
    "deep add": "x=" + "+".join(["a"] * 20000),
    "deep str": "x=" + "+".join(["'a'"] * 20000),
    "deep lambda": "x=" + "lambda: " * 900 + "1",
    "deep if": "x=" + "1 if a else " * 900 + "2",
    "deep dict": "x=" + "{'a':" * 90 + "1" + "}" * 90 + "\nf(**x)",
    "class nest": "\n".join("  " * i + f"class A{i}:" for i in range(90)) + "\n" + "  " * 90 + "pass",
    "try nest": "\n".join(" " * i + "try:" for i in range(18))
    + "\n"
    + " " * 18
    + "pass\n"
    + "\n".join(" " * i + "except: pass" for i in reversed(range(18))),
    "counter": "from collections import Counter\nc=Counter()\nfor i in range(60):\n    for j in range(60):\n        c[str(i)+'-'+str(j)]+=1\nprint(c)\nf(**c)",
    "getattr": "x=a\n" + "x=getattr(x,'b')\n" * 3000,
    "ps": "def print_trainable_parameters(model):\n    t=0\n    for p in model.parameters():\n        for q in model.parameters():\n            for r in model.parameters():\n                for s in model.parameters():\n                    for u in model.parameters():\n                        for v in model.parameters():\n                            t += p.numel()*q.numel()*r.numel()\n    print(t)",
    "tpow": "def print_trainable_parameters(model):\n    t = 1\n    for p in model.parameters():\n        t = t ** p.numel() ** p.numel()\n        t = t * 10 ** 60\n    print(t, f'{t:>999999999}')",
    "remarks": "# fill me (\n" * 9000,
    "quote": ("'" + '"') * 20000,
    "dead": "def f():\n    return\n" + "    x=1\n" * 9000,
    "dead nest": "if 0:\n" * 1 + "    if 0:\n        f(1)\n" * 5000,
    "ways print": "def f(a):\n" + "\n".join(f"    if a.x{i}: print('a{i}')" for i in range(300)) + "\nf(1)",
}


@pytest.fixture(scope="module", autouse=True)
def _nothing_to_search() -> Iterator[None]:
    """What other tests left in memory must not be searched for garbage while the clock runs."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_it_takes_no_more_than_a_second(source: str) -> None:
    with within(1):
        (cell,) = cells(source)
    assert cell.source == source
