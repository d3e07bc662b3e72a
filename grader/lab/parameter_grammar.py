"""The grammar of one parameter, made ready for reading texts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from grader.lab.matching import Compiler, Matcher
from grader.lab.patterns import Row, Word, leaves, parsed

NEUTRAL = "neutral"
"""The name of all statements that define nothing and say nothing wrong."""

Patterns = Sequence[str]


class ParameterGrammar(NamedTuple):
    """Matchers by the names of their statements; the parameter's `name` as in code is one word. `mistakes` are whole
    statements of known mistakes, `betrayals` words that betray them, but not in a sentence with their `excuses`."""

    statements: Mapping[str, Matcher]
    mistakes: Mapping[str, Matcher]
    betrayals: Mapping[str, Matcher]
    excuses: Mapping[str, Matcher]
    opening: Matcher | None
    joining: Matcher | None
    adds: Mapping[str, Matcher]
    denials: Matcher | None
    right: tuple[frozenset[str], ...]
    function_words: frozenset[str]
    vocabulary: frozenset[str]
    spelling: Mapping[str, str]
    name: str

    @classmethod
    def made(
        cls,
        name: str,
        *,
        classes: Mapping[str, Sequence[Row]],
        spelling: Mapping[str, str],
        says: Mapping[str, Patterns],
        neutral: Patterns,
        mistakes: Mapping[str, Patterns],
        betrayals: Mapping[str, Patterns],
        excuses: Mapping[str, Patterns],
        opening: Patterns,
        joining: Patterns,
        adds: Mapping[str, Patterns],
        right: tuple[frozenset[str], ...],
        denials: Patterns,
        function_words: frozenset[str],
    ) -> "ParameterGrammar":
        """Compile all patterns. Raises ValueError for one that cannot be read or can match nothing at all."""
        maker = _Maker(Compiler(classes), spelling, name)
        statements = {name: maker.made(patterns) for name, patterns in says.items()}
        if neutral:
            statements[NEUTRAL] = maker.made(neutral)
        return cls(
            statements=statements,
            mistakes={name: maker.made(patterns) for name, patterns in mistakes.items()},
            betrayals={name: maker.made(patterns) for name, patterns in betrayals.items()},
            excuses={name: maker.made(patterns) for name, patterns in excuses.items()},
            opening=maker.made(opening) if opening else None,
            joining=maker.made(joining) if joining else None,
            adds={name: maker.made(patterns) for name, patterns in adds.items()},
            denials=maker.made(denials) if denials else None,
            right=right,
            function_words=function_words,
            vocabulary=_vocabulary(row for rows in classes.values() for row in rows)
            | maker.vocabulary
            | spelling.keys(),
            spelling=spelling,
            name=name,
        )


class _Maker:
    def __init__(self, compiler: Compiler, spelling: Mapping[str, str], name: str) -> None:
        self.compiler, self.spelling, self.name = compiler, spelling, name
        self.vocabulary: frozenset[str] = frozenset()

    def made(self, patterns: Patterns) -> Matcher:
        rows = [parsed(pattern, self.spelling, (self.name,)) for pattern in patterns]
        for pattern, row in zip(patterns, rows, strict=True):
            if self.compiler.matcher(row).empty:
                raise ValueError(f"the pattern {pattern!r} would match a text without words")
        self.vocabulary |= _vocabulary(rows)
        return self.compiler.any_of(rows)


def _vocabulary(rows: Iterable[Row]) -> frozenset[str]:
    return frozenset(leaf.text for row in rows for leaf in leaves(row) if isinstance(leaf, Word))
