"""Is a parameter's definition right? Only a definition that is understood word for word is decided without a person."""

import re
from collections.abc import Iterator, Sequence

from grader.checks.check import Conclusion, check
from grader.checks.definition_grouping import group_key
from grader.checks.definition_verdict import Verdict, verdict
from grader.checks.definition_words import feedback, note, quoted, suspicions, tags
from grader.checks.finding import Expected, Finding, Status
from grader.checks.values import same_value
from grader.claims.answer import Answer
from grader.claims.definitions import DefinitionClaim, unassigned
from grader.lab.definition import Lab, Parameter
from grader.lab.grammar import DefinedParameter
from grader.lab.truth import Fact, GroundTruth
from grader.message import joined, say, say_data
from grader.reading.evidence import Evidence


@check("definition")
def definition(answer: Answer, truth: GroundTruth, lab: Lab, *, item: str, parameter: str) -> Iterator[Conclusion]:
    """The parameter is defined in the student's own words."""
    asked = next(one for one in lab.parameters if one.id == parameter)
    known = lab.grammar.of(parameter) or DefinedParameter(id=parameter, summary="", right={"definition": ()})
    facts = [fact for name in known.facts if (fact := truth.fact(name))]
    expected = Expected(
        text=joined(" ", map(say_data, (text for text in (known.summary, *_first(facts)) if text))),
        truths=(truth.value_of(parameter).id, *(fact.id for fact in facts)),
    )
    claims = _claims(answer, parameter)
    if not claims:
        yield _not_found(item, answer, asked, lab, expected)
        return
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=max((claim.text for claim in claims), key=len) or claims[0].value,
        expected=expected,
        evidence=tuple(dict.fromkeys(claim.evidence for claim in claims)),
    )
    if not any(claim.text for claim in claims):
        yield _value_alone(finding, asked, claims, answer, lab)
        return
    texts = tuple(dict.fromkeys(claim.text for claim in claims if claim.text))
    said = verdict(texts, known, lab.grammar, _wrong_value(claims, asked), apart=all(claim.apart for claim in claims))
    yield _settled(_judged(finding, said, asked, known, truth), said, parameter, lab)


def _first(facts: Sequence[Fact]) -> tuple[str, ...]:
    return tuple(fact.sentence for fact in facts[:1])


def _claims(answer: Answer, parameter: str) -> list[DefinitionClaim]:
    """The definitions of a parameter; those that do not name it count only where nothing else does."""
    claims = [claim for claim in answer.definitions if claim.parameter == parameter]
    return [claim for claim in claims if claim.named] or claims


def _wrong_value(claims: Sequence[DefinitionClaim], asked: Parameter) -> str | None:
    """A value beside the name that is not the lab's; what the definition's own words state, its grammar judges."""
    stated = [claim.value for claim in claims if claim.value and not claim.in_text]
    return next((value for value in stated if not same_value(value, asked)), None)


def _judged(finding: Finding, said: Verdict, asked: Parameter, known: DefinedParameter, truth: GroundTruth) -> Finding:
    diagnoses = suspicions(said, asked, truth)
    shown = tuple(one.fact for one in known.misconceptions if one.id in {diagnosis.id for diagnosis in diagnoses})
    expected = finding.expected
    return finding.but(
        status=said.status,
        suggestion=said.suggestion if said.status is Status.REVIEW else None,
        diagnoses=diagnoses,
        expected=expected and expected.model_copy(update={"truths": (*dict.fromkeys((*expected.truths, *shown)),)}),
        feedback=feedback(said, asked),
        note=note(said),
    )


def _settled(finding: Finding, said: Verdict, parameter: str, lab: Lab) -> Finding:
    """An undecided finding with its group, or as a person has decided about that group."""
    if finding.status is not Status.REVIEW:
        return finding
    group = group_key(parameter, " / ".join(said.texts), said.wrong_value)
    decision = lab.decisions.of(group)
    if decision is None:
        return finding.but(group=group, tags=tags(said))
    return finding.but(
        status=Status(decision.label),
        suggestion=None,
        group=group,
        tags=tags(said),
        decided_by=decision.signature,
        feedback=say(
            "{quote}: a person has decided about this text. {why}", quote=quoted(said.texts), why=decision.why
        ),
    )


def _value_alone(
    finding: Finding, asked: Parameter, claims: Sequence[DefinitionClaim], answer: Answer, lab: Lab
) -> Finding:
    if len(_mentions(answer, asked)) > len(claims) or not all(_is_written_as(claim.value, asked) for claim in claims):
        return finding.but(
            feedback=say(
                "{name} is given a value; its definition may stand where it is named again.",
                name=asked.id,
            ),
            note=say("Only a value stands with the name; it may be meant as an explanation, or explained elsewhere."),
            group=group_key(asked.id, finding.found or ""),
            tags=("value-alone",),
        )
    return finding.but(
        status=Status(lab.grammar.policy.value_alone),
        feedback=say("{name} is given a value, but what it does is not said.", name=asked.id),
    )


def _is_written_as(value: str | None, asked: Parameter) -> bool:
    """Whether a value is spelled as in code: `CAUSAL_LM`, not `causal LM`, which may be meant as an explanation."""
    return value is not None and (
        value[0].isdigit() or _letters(value) in map(_letters, (asked.value, *asked.spellings))
    )


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def _not_found(item: str, answer: Answer, asked: Parameter, lab: Lab, expected: Expected) -> Finding:
    """Missing only when the name stands nowhere, the whole report was read, other definitions were found, and no text
    beside them is left that could be the definition."""
    named = _mentions(answer, asked)
    left = [place for passage in answer.defining for place in unassigned(passage, lab)] if answer.definitions else []
    doubtful = any(not claim.named for claim in answer.definitions)
    if answer.report is None or (answer.definitions and not named and not left and not doubtful):
        return Finding(
            item=item,
            status=Status.MISSING,
            expected=expected,
            feedback=say("No definition of {name} was found.", name=asked.id),
        )
    return Finding(
        item=item,
        status=Status.REVIEW,
        expected=expected,
        evidence=(*named[:1], *left[:1]),
        feedback=say(
            "No sentence that begins by naming {name} was found; a person looks for its definition.", name=asked.id
        ),
    )


def _mentions(answer: Answer, asked: Parameter) -> tuple[Evidence, ...]:
    """Where the report names a parameter. A name of one letter counts only in answers that define parameters."""
    long_names = [name for name in asked.names if len(name) > 1]
    passages = [section.passage for section in answer.sections] if long_names else answer.defining
    spelled = "|".join(re.escape(name).replace("_", r"[_ ]?") for name in long_names or asked.names)
    pattern = re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)
    return tuple(
        passage.evidence(match.start(), match.end()) for passage in passages for match in pattern.finditer(passage.text)
    )
