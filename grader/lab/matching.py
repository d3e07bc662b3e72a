"""Where a pattern can end in a row of words. Each question is answered once, so the time is bounded by the number of
pattern parts times the number of words, for any text."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from grader.lab.patterns import NUMBER, OTHER_VALUE, VALUE, Choice, Class, Gap, Part, Repeat, Row, Word
from grader.lab.wording import is_number

NUMERAL = "#"
"""Stands for any numeral among the first words of a pattern."""
_MAX_DEPTH = 40

Ends = tuple[int, ...]


class Text:
    """The words that are matched, what is known of them so far, and how far any pattern has `reached` into them. With
    `any_value` the class of right values takes in other values, too."""

    def __init__(self, words: Sequence[str], gaps: Collection[int] = (), *, any_value: bool = False) -> None:
        self.words = tuple(words)
        self.gaps = gaps
        self.any_value = any_value
        self.reached = 0
        self.known: dict[tuple[int, int], Ends] = {}
        self.numerals = frozenset(word for word in words if is_number(word))

    def takes(self, end: int) -> Ends:
        """Note that a word was understood, and where it ends."""
        self.reached = max(self.reached, end)
        return (end,)


class Matcher:
    """A pattern made ready. `first` are the words with which it can begin; it may match nothing at all if `empty`."""

    first: frozenset[str]
    empty: bool

    def ends(self, text: Text, start: int) -> Ends:
        """The places, in order, at which the pattern can end when it begins at a place."""
        key = (id(self), start)
        found = text.known.get(key)
        if found is None:
            found = text.known[key] = self._ends(text, start)
        return found

    def begins(self, text: Text, start: int) -> bool:
        """Whether the pattern can begin here, as far as the next word tells."""
        if self.empty:
            return True
        if start >= len(text.words):
            return False
        word = text.words[start]
        return word in self.first or (word in text.numerals and NUMERAL in self.first)

    def _ends(self, text: Text, start: int) -> Ends:
        raise NotImplementedError


class _OneWord(Matcher):
    def __init__(self, word: str) -> None:
        self.first, self.empty = frozenset({word}), False

    def ends(self, text: Text, start: int) -> Ends:
        return text.takes(start + 1) if self.begins(text, start) else ()


class _AtGap(Matcher):
    def __init__(self) -> None:
        self.first, self.empty = frozenset(), True

    def _ends(self, text: Text, start: int) -> Ends:
        return (start,) if start in text.gaps else ()


class _InOrder(Matcher):
    def __init__(self, parts: Sequence[Matcher]) -> None:
        self.parts = tuple(parts)
        self.empty = all(part.empty for part in parts)
        leading = next((index for index, part in enumerate(parts) if not part.empty), len(parts))
        self.first = frozenset[str]().union(*(part.first for part in parts[: leading + 1]))

    def _ends(self, text: Text, start: int) -> Ends:
        places: Ends = (start,)
        for part in self.parts:
            if len(places) == 1:
                places = part.ends(text, places[0]) if part.begins(text, places[0]) else ()
            else:
                places = _merged(part.ends(text, place) for place in places if part.begins(text, place))
            if not places:
                return ()
        return places


class _OneOf(Matcher):
    def __init__(self, options: Sequence[Matcher], *, optional: bool) -> None:
        self.options, self.optional = tuple(options), optional
        self.empty = optional or any(option.empty for option in options)
        self.first = frozenset[str]().union(*(option.first for option in options))

    @cached_property
    def _by_word(self) -> Mapping[str, tuple[Matcher, ...]]:
        found: dict[str, list[Matcher]] = {}
        for option in self.options:
            for word in option.first:
                found.setdefault(word, []).append(option)
        return {word: tuple(options) for word, options in found.items()}

    @cached_property
    def _empty_ones(self) -> tuple[Matcher, ...]:
        return tuple(option for option in self.options if option.empty)

    def _ends(self, text: Text, start: int) -> Ends:
        options = self._empty_ones
        if start < len(text.words):
            word = text.words[start]
            options += self._by_word.get(word, ())
            if word in text.numerals:
                options += self._by_word.get(NUMERAL, ())
        found = [option.ends(text, start) for option in options]
        return _merged([(start,), *found] if self.optional else found)


class _AnyTimes(Matcher):
    def __init__(self, part: Matcher) -> None:
        self.part, self.first, self.empty = part, part.first, True

    def _ends(self, text: Text, start: int) -> Ends:
        found, fresh = {start}, {start}
        while fresh:
            fresh = {end for place in fresh for end in self.part.ends(text, place)} - found
            found |= fresh
        return tuple(sorted(found))


class _Value(Matcher):
    """The right values of a parameter; all values where the text is to be read so."""

    def __init__(self, right: Matcher, other: Matcher) -> None:
        self.right, self.every = right, _OneOf([right, other], optional=False)
        self.first, self.empty = self.every.first, False

    def _ends(self, text: Text, start: int) -> Ends:
        return (self.every if text.any_value else self.right).ends(text, start)


class Compiler:
    """Makes patterns ready; each word class once. Raises ValueError on an unknown class, and on
    classes that contain each other."""

    def __init__(self, classes: Mapping[str, Sequence[Part]]) -> None:
        self._classes = classes
        self._ready: dict[str, Matcher] = {}
        self._underway: list[str] = []

    def any_of(self, parts: Sequence[Part]) -> Matcher:
        """A matcher for any of some patterns."""
        return _OneOf([self.matcher(part) for part in parts], optional=False)

    def matcher(self, part: Part) -> Matcher:
        """A pattern made ready."""
        if isinstance(part, Word):
            return _OneWord(part.text)
        if isinstance(part, Class):
            if part.name not in self._ready:
                self._ready[part.name] = self._class(part.name)
            return self._ready[part.name]
        if isinstance(part, Gap):
            return _AtGap()
        if isinstance(part, Repeat):
            return _AnyTimes(self.matcher(part.part))
        if isinstance(part, Choice):
            return _OneOf([self.matcher(option) for option in part.options], optional=part.optional)
        if isinstance(part, Row) and len(part.parts) == 1:
            return self.matcher(part.parts[0])
        return _InOrder([self.matcher(one) for one in part.parts])

    def _class(self, name: str) -> Matcher:
        if name == NUMBER:
            return _OneWord(NUMERAL)
        if name not in self._classes:
            raise ValueError(f"the word class {{{name}}} is not defined under [words]")
        if name in self._underway or len(self._underway) > _MAX_DEPTH:
            raise ValueError(f"the word classes {', '.join(self._underway)} contain each other")
        self._underway.append(name)
        made = self.any_of(self._classes[name])
        if name == VALUE and self._classes.get(OTHER_VALUE):
            made = _Value(made, self.any_of(self._classes[OTHER_VALUE]))
        self._underway.pop()
        return made


def _merged(places: Sequence[Ends] | Iterator[Ends]) -> Ends:
    found = {end for ends in places for end in ends}
    return tuple(sorted(found)) if len(found) > 1 else tuple(found)
