"""What code is followed to print is what Python prints; where that is not known, nothing else is said.

The programs are run here, as they are ours.
"""

# ruff: noqa: E501 a program stays on one line

import contextlib
import io

import pytest

from grader.claims.code.model import OPEN
from tests.claims.test_code_flow import cells

EXPRESSIONS = """
1 + 2 * 3 - 4
7 // 2, 7 % 3, -7 // 2, -7 % 3
2 ** 10, 2 ** -1, 7 / 2
1e-5, 1e-05 * 10, 0.1 + 0.2, 3.0, 1_000_000
True, False, None, not True
1 < 2, 2 <= 2, 3 > 4, 4 >= 5, 1 == 1.0, 1 != 2
'a' < 'b', 'a' == 'a', 'a' != 'a', 'b' >= 'c'
'a' in 'abc', 'x' not in 'abc', 2 in [1, 2], 3 in {3: 1}, 4 not in (1, 2)
None is None, [] is not None
True and 0, 1 and 2, 0 or 'x', '' or 0, not 0, not [1]
'a' + 'b', 'ab' * 3, 3 * 2 * 'x' if False else 'y'
[1] + [2, 3], [0] * 3
'%s is %d' % ('a', 3), '%s' % 'x', '100 %%' % (), '%(a)s-%(b)s' % {'a': 1, 'b': 2}
'{} {}'.format(1, 2), '{1} {0}'.format(1, 2), '{a} {b}'.format(a=1, b=2), '{0[k]}'.format({'k': 3})
'{:,}'.format(22807552), '{:.2f}'.format(3.14159), '{{}} {}'.format(1)
f'{1 + 1} {"x"} {3.14159:.3f} {1234567:,} {0.5:.1%} {1e-5:.0e}'
f'{22829056:_}', f'{5:d}', f'{True}', f'{[1, 2]}'
str(3), str(1.5), str(), str(None), str([1, 'a']), str({'a': 1})
int('12'), int(3.7), int(' 5 '), float('1e-5'), float(2), float('0.5')
round(2.5), round(3.14159, 2), round(1234.5, -2), abs(-3), abs(2.5)
sum([1, 2, 3]), sum([1, 2], 10), sum(()), sum([0.5, 0.25])
max(1, 5, 3), min(4, 2), max([1, 9, 2]), min([7, 3])
len('abc'), len([1, 2]), len({'a': 1}), len(()), len('')
any([0, 1]), any([0, 0]), all([1, 1]), all([1, 0]), any([]), all([])
list(range(3)), list(range(2, 5)), list(range(0, 10, 3)), list(range(5, 0, -2)), list(range(0))
list(enumerate(['a', 'b']))[1][0], [i for i, _ in enumerate('x y'.split(), 5)]
[a + b for a, b in zip([1, 2], [10, 20])], [a for a, b, c in zip([1, 2, 3], [1, 2], [1, 2, 3])]
list(reversed([1, 2, 3])), sorted([1, 2, 3])
list({'a': 1, 'b': 2}), list({'a': 1}.values()), list({'a': 1, 'b': 2}.keys())
[k for k, v in {'a': 1, 'b': 2}.items() if v > 1]
{'a': 1}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', 7)
dict(a=1, b=2), dict({'a': 1}, b=3), dict([['x', 1], ['y', 2]])
{'a': 1, **{'b': 2}}, [*[1, 2], 3], {**{'a': 1}, 'a': 5}
{'a': 1} | {'b': 2}
{'a': {'b': 3}}['a']['b'], [1, 2, 3][1], [1, 2, 3][-1], [[1, 2], [3]][1][0]
'a,b,c'.split(','), 'a b  c'.split(), 'l1\\nl2'.splitlines(), 'a-b'.split('-')[1]
'-'.join(['a', 'b']), ''.join(['x']), ', '.join(str(n) for n in [1, 2, 3])
' a '.strip(), 'xxaxx'.strip('x'), '  a'.lstrip(), 'a  '.rstrip(), 'ab'.lstrip('a'), 'ab'.rstrip('b')
'banana'.replace('a', 'o'), 'ab'.replace('x', 'y')
'abc'.startswith('a'), 'abc'.endswith('b'), 'abc'.startswith('b'), 'abc'.endswith('bc')
'AbC'.lower(), 'abc'.upper(), 'ab cd'.title(), 'ab'.capitalize(), 'AB'.casefold(), 'aB'.swapcase()
'prefix-x'.removeprefix('prefix-'), 'x.txt'.removesuffix('.txt'), 'x'.removeprefix('y')
chr(65), chr(10) == '\\n'
'a' if 1 > 0 else 'b', 'a' if [] else 'b', 1 if None else 2
[n * n for n in range(4)], [n for n in range(6) if n % 2 == 0], [a * b for a in [1, 2] for b in [3, 4]]
{n: n * n for n in range(3)}, sum(n for n in [1, 2, 3]), [x for x in 'a b'.split() if x != 'a']
(lambda a, b=2: a + b)(1), (lambda *a: sum(a))(1, 2, 3), (lambda **k: k['x'])(x=5)
list(map(lambda n: n + 1, [1, 2])), list(filter(lambda n: n > 1, [1, 2, 3])), list(map(str, [1, 2]))
(n := 5) + n
isinstance(1, int) if False else 0
sorted([3, 1, 2]), sorted(['b', 'a']), sorted([2, 10], reverse=True), sorted({'b': 1, 'a': 2})
'banana'.replace('a', 'o', 1), 'a-b-c'.split('-', 1), 'a b c'.split(None, 1), 'a-b-c'.rsplit('-', 1)
[1, 2, 3][:2], [1, 2, 3][1:], [1, 2, 3][::2], [1, 2, 3][-2:], 'abcdef'[1:3], 'abc'[0], 'abc'[-1]
list(reversed([3, 1, 2])), max([3, 1, 2]), min([3, 1, 2]), max(2.5, 1), min(-1, 1)
'abc' * 0, [] * 2, 'a' * -1, 5 % -3, -5 // 2, 2 ** 0.5 > 1.4, 0 ** 0
1 <= 1, 1 < 1, 2 >= 3, 2 > 2, 'a' <= 'a', 'b' < 'a', [1] == [1, 2], 1 in [], 'ab' in 'cab'
round(0.5), round(1.5), round(-2.567, 1), round(1e3), abs(0), int(-3.7), int('-4'), float('-2.5'), int(True)
f'{3.14159:.0f} {3.14159:.1f} {0.123456:.4f} {1e10:.2e} {1234567.891:,.2f} {0.256:.0%}'
f'{7:d} {255:x} {5:b} {3.0} {1/3:.3f}'
'{:.3f} {:,} {}'.format(1 / 3, 1234567, None), '{0}{1}{0}'.format('a', 'b'), '{a[k]} {b}'.format(a={'k': 1}, b=2)
'%d %s %.2f %%' % (3, 'x', 2.5), '%s' % 3, '%s %s' % ('a', None), '%(x)d' % {'x': 4}
sum([1.5, 2.5]), sum([[1, 2], [3]][0]), sum([True, False, True]), sum(x * 2 for x in [1, 2, 3] if x != 2)
len({'a': 1, 'b': 2}), len('a b'.split()), len(list(range(5)))
any([]), all([]), any(x > 2 for x in [1, 2, 3]), all(x > 2 for x in [1, 2, 3])
list(range(-3, 3, 2)), list(range(3, 3)), list(range(10, 0, -4)), list(range(1)), sum(range(60))
list(enumerate([5, 6], 1))[0][0], list(enumerate([5, 6], start=3))[0][0], list(zip([1, 2], [3, 4], [5, 6]))[1][2], [a for a, b in zip([1, 2, 3], [4])]
{'a': 1}.get('a', 5), {1: 'x'}.get(1), {1: 'x'}.get(2, 'y'), list({1: 2}.items())[0][1], {'a': 1, 'b': 2}['b']
dict([['a', 1]], b=2), dict(), {**{'a': 1}, 'b': 2, **{'a': 3}}, {'a': 1} == {'a': 1, 'b': 2}
' a b '.strip().split(' '), 'a\\nb\\n'.splitlines(), 'a,,b'.split(','), ''.split(), ''.split(','), 'ab'.split('b')
'abcabc'.strip('ac'), 'abc'.lstrip('ba'), 'abc'.rstrip('cb'), '\\tx\\n'.strip(), 'abc'.removesuffix('bc'), 'abc'.removeprefix('ab')
'x'.join([]), '-'.join('abc'.upper().split('B')), ', '.join(['a']), '\\n'.join(['a', 'b'])
'ab12'.startswith('ab1'), 'ab12'.endswith('2'), ''.startswith('a'), 'abc'.startswith(''), 'Abc'.lower().startswith('a')
0 and 1, 1 or 0, '' or [] or 'c', 1 and 2 and 0 and 3, None or None, not '', not [0], not {}
1 if 0 else 2, 'x' if 'a' in 'abc' else 'y', (1 if True else 2) + (3 if False else 4)
[y for x in [[1, 2], [3]] for y in x], [[y * 2 for y in x] for x in [[1], [2, 3]]], {k: len(v) for k, v in {'a': 'xy'}.items()}
(lambda x, y=2: x * y)(3), (lambda x: x if x > 1 else -x)(-4)
chr(97), chr(0x41), str(True), str(1e-5), str(100000000000000000.0), str(0.1 + 0.2), str([1.0, 'a', None])
1e3, 1e-4, 1.50, 1_000, 0x10, 0b11, -0.0, 2.0 ** 3, 7 / 7, 10 ** 5, 1e16
'a' 'b', 'a\\'b', "tab\\tx", r'\\n', 'ä€', '''x'''
3 - -2, +5, -(-5), 2 + 3 * 4 ** 2 / 8 - 1, (2 + 3) * 4, 7 // 2 * 2 + 7 % 2
None == None, [] == [], 'a' == 'A'.lower(), 1 == 1.0, True == 1, '1' == 1
[[1, 2], [3, 4]] == [[1, 2], [3, 4]], {'a': [1]} == {'a': [1]}, [1] == [2], {'a': 1} == {'a': 2}, [1] != [1, 2]
"""

PROGRAMS = {
    "assignments": "a = b = 2\nc, d = 3, 4\n[e, f] = [5, 6]\na += 1\nb *= 5\nc -= 1\nd /= 2\nprint(a, b, c, d, e, f)",
    "a star in an assignment": "x: int = 3\ny = x\nx = 4\nprint(x, y)",
    "branches": "n = 3\nif n > 2:\n    print('big')\nelif n > 1:\n    print('middle')\nelse:\n    print('small')",
    "the middle branch": "n = 2\nif n > 2:\n    print('big')\nelif n > 1:\n    print('middle')\nelse:\n    print('small')",
    "the last branch": "n = 0\nif n > 2:\n    print('big')\nelif n > 1:\n    print('middle')\nelse:\n    print('small')",
    "a loop": "total = 0\nfor n in range(5):\n    total += n\nprint(total)",
    "a loop that ends early": "for n in range(9):\n    if n == 3:\n        break\n    print(n)",
    "a loop with gaps": "for n in range(4):\n    if n % 2:\n        continue\n    print(n)",
    "a loop in a loop": "for a in [1, 2]:\n    for b in [3, 4]:\n        print(a * b)",
    "a loop over pairs": "for name, n in [('a', 1), ('b', 2)]:\n    print(name, n)",
    "a loop over a table": "t = {'a': 1, 'b': 2}\nfor k in t:\n    print(k, t[k])\nfor k, v in t.items():\n    print(k, v)",
    "while": "n = 0\nwhile n < 3:\n    n += 1\n    print(n)\nprint('end', n)",
    "while with an end": "n = 10\nwhile True:\n    n -= 3\n    if n < 8:\n        break\nprint(n)",
    "while with a gap": "n = 0\nwhile n < 5:\n    n += 1\n    if n == 2:\n        continue\n    print(n)\nprint(n)",
    "lists that grow": "a = []\na.append(1)\na.extend([2, 3])\nprint(a, len(a))",
    "tables that grow": "t = {}\nt['a'] = 1\nt.update({'b': 2})\nt.update(c=3)\nt['a'] += 5\nprint(t)",
    "copies": "a = {'x': 1}\nb = a.copy()\nb['x'] = 2\nc = a\nc['y'] = 3\nprint(a, b)",
    "counting": "from collections import Counter, defaultdict\nc = Counter()\nc['a'] += 2\nd = defaultdict(int)\nd['x'] += 3\nprint(c['a'], d['x'], d['y'])",
    "functions": "def f(a, b=2, *c, d=4, **e):\n    return a + b + sum(c) + d + sum(e.values())\nprint(f(1), f(1, 1), f(1, 1, 1, 1), f(1, d=0), f(a=1, z=9))",
    "a function that prints": "def f(x):\n    print('got', x)\n    return x * 2\nprint(f(4))",
    "a function that returns early": "def f(x):\n    if x > 1:\n        return 'big'\n    return 'small'\nprint(f(2), f(0))",
    "a function under another name": "def f(x):\n    return x + 1\ng = f\nprint(g(1))",
    "names of a function stay within": "x = 1\ndef f():\n    x = 2\n    return x\nprint(f(), x)",
    "partial": "from functools import partial, reduce\ndef f(a, b, c=0):\n    return a * 100 + b * 10 + c\ng = partial(f, 1, c=3)\nprint(g(2))\nprint(reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(lambda a, b: a + b, [1, 2], 10))",
    "a class": "class A:\n    k = 3\n    def __init__(self, n):\n        self.n = n\n    def f(self, m):\n        return self.n * m + self.k\na = A(2)\nprint(a.f(5), a.n, A(1).f(1))",
    "a static method": "class A:\n    @staticmethod\n    def f(n):\n        return n + 1\nprint(A.f(1))",
    "attributes": "class C:\n    pass\nc = C()\nc.lr = 1e-5\nsetattr(c, 'n', 3)\nprint(c.lr, c.n, getattr(c, 'lr'))",
    "namespaces": "from types import SimpleNamespace\ns = SimpleNamespace(a=1, b='x')\nprint(s.a, s.b, getattr(s, 'c', 9))",
    "templates": "from string import Template\nprint(Template('$a and ${b} for $$5').substitute(a=1, b=2))\nprint(Template('$a').safe_substitute({'a': 'x'}))",
    "joined and dedented": "import textwrap, inspect\nprint(textwrap.dedent('''    a\n      b'''))\nprint(inspect.cleandoc('  x\\n    y\\n    z'))",
    "settings as JSON": "import json\nc = json.loads('{\"lr\": 0.1, \"n\": 3}')\nprint(c['lr'], c['n'])",
    "maths": "import math\nprint(math.floor(2.7), math.ceil(2.1), math.prod([2, 3, 4]))",
    "with and try": "try:\n    x = 1\n    print(x)\nfinally:\n    print('end')",
    "several printed": "print()\nprint('a', 1, None, 2.0)\nprint('x' * 3)",
    "texts over lines": "a = ('one '\n     'two')\nb = '''l1\nl2'''\nprint(a, b)",
    "conditions on what is unlike": "print(1 == '1', 'a' == 1, [] == {}, None == 0, 1 == True)",
    "entries of lists": "a = [1, 2, 3]\na[1] = 5\na[-1] = 7\na[-3] += 1\nprint(a)",
    "entries of lists in tables": "t = {'a': [1, 2]}\nt['a'][0] = 9\nt['b'] = t['a']\nt['b'].append(3)\nprint(t)",
    "a star before the values": "a = [1, 2]\nprint(*a, 3)\nb = [0, *a, *[3]]\nprint(b)",
    "a table of functions": "def f(x):\n    return x + 1\nt = {'f': f}\nprint(t['f'](1), (lambda: 7)())",
    "conditions on parts": "a = {'x': 0}\nif a.get('x') or a.get('y'):\n    print('yes')\nelse:\n    print('no')",
    "a function that changes a list": "def f(a):\n    a.append(4)\nb = [1]\nf(b)\nprint(b)",
    "a function within a function": "def f(x):\n    def g(y):\n        return y * 2\n    return g(x) + 1\nprint(f(5))",
    "arguments by name and in tables": "def f(a, b=1, c=2):\n    return [a, b, c]\nk = {'b': 5}\nprint(f(0, **k), f(c=9, a=1))",
    "objects of a class with a list": "class A:\n    def __init__(self):\n        self.x = []\n    def add(self, n):\n        self.x.append(n)\n        return self\na = A()\na.add(1)\na.add(2)\nprint(a.x, len(a.x))",
    "two objects of a class": "class A:\n    n = 0\n    def __init__(self, n):\n        self.n = n\na, b = A(1), A(2)\na.n += 5\nprint(a.n, b.n, A.n)",
    "an end in a loop in a loop": "for a in range(3):\n    for b in range(3):\n        if b == 1:\n            break\n        print(a, b)\n    if a == 1:\n        break\nprint('end', a, b)",
    "a return in a loop": "def f(a):\n    for x in a:\n        if x > 1:\n            return x\n    return 0\nprint(f([1, 2, 3]), f([0]), f([]))",
    "no turn at all": "x = 1\nfor x in []:\n    print(x)\nwhile False:\n    x = 2\nprint(x)",
    "comprehensions with conditions": "a = [x * 10 + y for x in range(3) for y in range(x) if x + y > 1]\nprint(a, {k: k * k for k in a if k > 20})",
    "an assertion and a deletion": "x = 3\nassert x == 3\ny = [1]\nprint(x, y)",
    "text over a loop": "s = ''\nfor c in ['a', 'b']:\n    s += c + '-'\nprint(s.strip('-'), s.count if False else '')",
    "parts of lists and texts": "a = [1, 2, 3, 4]\nn = 2\nprint(a[:n], a[n:], a[1:-1], a[::n], 'abcdef'[n:4], a[10:])",
    "entries put in": "a = [1, 2]\na.insert(0, 5)\na.insert(-1, 6)\nprint(a)",
    "signs": "print(-3 + +2, -(-1), not -1, 2 - -2)",
    "chained names": "a = {'b': {'c': [1, {'d': 7}]}}\nprint(a['b']['c'][1]['d'])",
}  # fmt: skip


UNKNOWN = {
    "turns without an end in sight": "n = 10\nwhile True:\n    n -= 3\n    if n < 0:\n        break\nprint(n)",
    "more turns than are followed": "n = 0\nwhile n < 500:\n    n += 1\nprint(n)",
    "a longer list than is followed": "n = 0\nfor k in range(90):\n    n += k\nprint(n)",
    "turns on a condition that is not known": "n = 0\nwhile going():\n    n += 1\nprint(n)",
    "a chain": "print(1 < n < 3)",
}


def printed_by_python(source: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(source, "test", "exec"), {"__name__": "__main__"})
    return out.getvalue().rstrip("\n")


def followed(source: str) -> str:
    (cell,) = cells(source)
    return cell.prints.rstrip("\n")


@pytest.mark.parametrize("line", EXPRESSIONS.strip().split("\n"))
def test_expressions_are_worked_out_as_python_does(line: str) -> None:
    line = line.replace("\\\\n", "\\n")
    assert followed(f"print({line})") == printed_by_python(f"print({line})")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_python_prints(name: str) -> None:
    assert followed(PROGRAMS[name]) == printed_by_python(PROGRAMS[name])


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_not_followed_to_its_end_is_not_known(name: str) -> None:
    assert followed(UNKNOWN[name]).startswith(OPEN)


def test_what_a_loop_without_an_end_leaves_alone_is_known() -> None:
    assert followed("lr = 0.1\nwhile going():\n    x = lr\nprint(lr)") == "0.1"
