"""The grammar of definitions: a lab's data, from which `understanding` tells right definitions from others.

A text is understood when all of it consists of statements that the grammar lists, so what is not listed is never
taken as right. `patterns` says how a statement is written down.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from grader.frozen import Frozen
from grader.lab.parameter_grammar import NEUTRAL, ParameterGrammar
from grader.lab.patterns import Row, parsed
from grader.lab.understanding import Understanding, understood

Credit = Literal["correct", "partial", "incorrect", "review"]
Patterns = tuple[str, ...]


class Policy(Frozen):
    """What an instructor gives for a definition that is understood but not simply right."""

    wrong_value: Credit = Field(default="partial", description="The meaning is right, the stated value is not.")
    value_alone: Credit = Field(default="incorrect", description="Nothing is said but the value.")
    false_addition: Credit = Field(default="review", description="A right definition and a known mistake beside it.")


class Misconception(Frozen):
    """A known mistake about a parameter.

    `words` betray it anywhere in a sentence that says nothing of `unless`; that is a suspicion only. A text that
    consists of `says` is understood to make it, and where it is `decided` gets its `credit` without a person. `fact`
    is the id of the fact that refutes it.
    """

    id: str
    words: Patterns = ()
    unless: Patterns = ()
    says: Patterns = ()
    fact: str
    credit: Literal["partial", "incorrect"] = "incorrect"
    decided: bool = False


class PartialDefinition(Frozen):
    """What a definition lacks that makes the statement `needs` and, at most, those in `besides`."""

    id: str
    needs: str
    besides: tuple[str, ...] = ()
    missing: str
    credit: Credit = "partial"


class DefinedParameter(Frozen):
    """A parameter with a right definition for students to read.

    `right` are statements of which each is a right definition, by name (a bare list of patterns is one statement);
    `says` are further true ones, and `together` names those, joined by `+`, that only together make a definition.
    `adds` are statements that follow another one without a comma or a linking word.
    `facts` are ids of the facts that show what the parameter does, and `documentation` are phrases of the library's
    own documentation.
    """

    id: str
    summary: str
    right: dict[str, Patterns] = Field(default_factory=dict)
    says: dict[str, Patterns] = Field(default_factory=dict)
    together: tuple[str, ...] = ()
    adds: dict[str, Patterns] = Field(default_factory=dict)
    partial: tuple[PartialDefinition, ...] = ()
    words: dict[str, Patterns] = Field(default_factory=dict)
    facts: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    documentation: Patterns = ()

    @property
    def right_sets(self) -> tuple[frozenset[str], ...]:
        """The sets of statements of which any one makes a right definition."""
        together = (frozenset(name.strip() for name in names.split("+")) for names in self.together)
        return (*(frozenset({name}) for name in self.right), *together)

    @model_validator(mode="after")
    def _something_is_right(self) -> Self:
        if not self.right and not self.together:
            raise ValueError("no definition is right: list some under right")
        return self

    @field_validator("right", mode="before")
    @classmethod
    def _named(cls, right: object) -> object:
        if not right:
            raise ValueError("no definition is right; list some")
        return {"definition": right} if isinstance(right, list | tuple) else right


class Grammar(Frozen):
    """The lexicon and the statements of a lab. `opening` patterns may stand before a statement; `neutral` statements
    and `adds` behind a statement add nothing wrong to any definition; `joining` words link two statements. `denials`
    turn what they stand before into its opposite; `function_words` tell a sentence from a list of words."""

    version: int = 2
    policy: Policy = Policy()
    spelling: dict[str, Patterns] = Field(default_factory=dict, description="A word's variants.")
    words: dict[str, Patterns] = Field(default_factory=dict)
    opening: Patterns = ()
    neutral: Patterns = ()
    adds: Patterns = ()
    joining: Patterns = ()
    denials: Patterns = ("not", "no", "never", "without")
    function_words: Patterns = ("the", "a", "of", "is", "to")
    parameters: tuple[DefinedParameter, ...] = ()

    @model_validator(mode="after")
    def _patterns_compile(self) -> Self:
        for parameter in self.parameters:
            for named in (*parameter.right_sets, *(frozenset((one.needs, *one.besides)) for one in parameter.partial)):
                if unknown := sorted(named - {*parameter.right, *parameter.says, *parameter.adds}):
                    raise ValueError(f"{parameter.id}: no statement named {unknown[0]!r} under right, says or adds")
        _ = self._ready
        return self

    def of(self, parameter: str) -> DefinedParameter | None:
        """What is known of a parameter's definition, if anything."""
        return next((one for one in self.parameters if one.id == parameter), None)

    def understood(self, parameter: str, text: str) -> Understanding:
        """What a text says about a parameter, and whether it was understood as a whole."""
        known, compiled = self.of(parameter), self._ready.get(parameter)
        if known is None or compiled is None:
            return Understanding()
        return understood(text, compiled)

    def is_right(self, parameter: str, text: str) -> bool:
        """Whether a whole text is a right definition, the stated value included."""
        understanding = self.understood(parameter, text)
        return understanding.is_right and not understanding.other_value

    @cached_property
    def _ready(self) -> Mapping[str, ParameterGrammar]:
        """All parameters' grammars, made when the lab is read so that no grading waits for them."""
        spelling = {variant: word for word, variants in self.spelling.items() for variant in variants}
        shared = _classes(self.words, spelling)
        ready = {}
        for parameter in self.parameters:
            try:
                ready[parameter.id] = self._compiled(parameter, shared, spelling)
            except ValueError as error:
                raise ValueError(f"{parameter.id}: {error}") from error
        return ready

    def _compiled(
        self, parameter: DefinedParameter, shared: Mapping[str, Sequence[Row]], spelling: Mapping[str, str]
    ) -> ParameterGrammar:
        return ParameterGrammar.made(
            parameter.id,
            classes={**shared, **_classes(parameter.words, spelling, parameter.id)},
            spelling=spelling,
            says={**parameter.right, **parameter.says},
            neutral=self.neutral,
            mistakes={one.id: one.says for one in parameter.misconceptions if one.says},
            betrayals={one.id: one.words for one in parameter.misconceptions if one.words},
            excuses={one.id: one.unless for one in parameter.misconceptions if one.unless},
            opening=self.opening,
            joining=self.joining,
            adds={**parameter.adds, **({NEUTRAL: self.adds} if self.adds else {})},
            right=parameter.right_sets,
            denials=self.denials,
            function_words=frozenset(self.function_words),
        )


def _classes(words: Mapping[str, Patterns], spelling: Mapping[str, str], *whole: str) -> dict[str, list[Row]]:
    return {name: [parsed(one, spelling, whole) for one in phrases] for name, phrases in words.items()}
