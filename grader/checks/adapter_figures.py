"""What figures of trainable and all parameters say of the model that they were counted on."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final, NamedTuple

from grader.checks.finding import Diagnosis
from grader.checks.printed_pairs import Pair
from grader.frozen import Frozen
from grader.lab.truth import Count, GroundTruth
from grader.message import joined, say, say_data

_MOST_RANK: Final = 1024
_MOST_MODULES: Final = 8
_MOST_STORIES: Final = 3
_TRAINABLE: Final = "trainable"


class Variant(Frozen):
    """True counts of the model without its adapter, by their conventions, and when they are printed. `telling`: only
    code that looks at requires_grad prints them."""

    trainable: str
    total: str
    title: str
    telling: bool = False


class State(NamedTuple):
    """A variant with its numbers."""

    trainable: int
    total: int
    variant: Variant


class Figures(NamedTuple):
    """What is known of a model with its adapter: the trainable parameters, and all of them under each way of counting;
    `rank` and `sizes` are the adapter's rank and how many parameters one rank of it has in each linear module. `states`
    are those without the adapter, and `others` other models with theirs."""

    trainable: Count
    totals: tuple[Count, ...]
    rank: int
    sizes: Mapping[str, int]
    states: tuple[State, ...]
    others: tuple[tuple[str, "Figures"], ...] = ()

    @property
    def bases(self) -> frozenset[int]:
        """All parameters without the adapter."""
        return frozenset(count.total - self.trainable.total for count in self.totals)

    def is_right(self, pair: Pair) -> bool:
        """Whether a pair is that of the model with its adapter."""
        fits = pair.trainable == self.trainable.total and any(pair.total == count.total for count in self.totals)
        return fits and not pair.swapped

    def state(self, pair: Pair) -> State | None:
        """The state of the model without its adapter that a pair is true of."""
        return next((one for one in self.states if one[:2] == pair[:2] and not pair.swapped), None)


def figures_of(
    truth: GroundTruth, model: str, rank: int, base: str | None = None, variants: tuple[Variant, ...] = ()
) -> Figures:
    """The known figures of a model. Raises KeyError where the truth has no such convention."""
    counts = {count.convention: count for count in truth.counts_of(model)}
    own = {count.convention: count.total for count in truth.counts_of(base)} if base else {}
    return Figures(
        trainable=counts.pop(_TRAINABLE),
        totals=tuple(counts.values()),
        rank=rank,
        sizes=_sizes(truth, model),
        states=tuple(State(own[one.trainable], own[one.total], one) for one in variants if own),
    )


def _sizes(truth: GroundTruth, model: str) -> dict[str, int]:
    """Rows and columns together of each linear module, over all layers."""
    found: dict[str, int] = {}
    for known in (one for one in truth.models if one.id == model):
        for part in known.components:
            if part.kind == "weight" and part.part != "adapter":
                for tensor in part.tensors:
                    if len(tensor.shape) == 2:
                        found[tensor.name] = found.get(tensor.name, 0) + sum(tensor.shape) * part.times
    return dict(list(found.items())[:_MOST_MODULES])


def slip(pair: Pair, figures: Figures) -> Diagnosis | None:
    """What a pair shows that is none of the right ones."""
    trainable, total = pair.trainable, pair.total
    if pair.swapped:
        text = say("The number of all parameters is called that of the trainable ones.")
        return Diagnosis(id="swapped", text=text)
    if trainable == total and total in {*figures.bases, *(count.total for count in figures.totals)}:
        return Diagnosis(id="all-as-trainable", text=say("All parameters were counted as trainable ones."))
    if total - trainable in figures.bases:
        return _other_adapter(trainable, figures)
    if total in figures.bases:
        text = say("All parameters were counted without the adapter, which is not in the model yet.")
        return Diagnosis(id="before-adapter", text=text)
    return _other_model(pair, figures)


def _other_adapter(trainable: int, figures: Figures) -> Diagnosis:
    stories = list(_stories(trainable, figures))
    ranks = [rank for rank, modules in stories if modules is None]
    said = [
        say("rank {rank}", rank=rank)
        if modules is None
        else say("rank {rank} on {modules}", rank=rank, modules=", ".join(modules))
        for rank, modules in stories[:_MOST_STORIES]
    ]
    if len(stories) == 1 and ranks:
        text = say("The figures are those of an adapter of rank {rank}.", rank=ranks[0])
        return Diagnosis(id="another-rank", text=text)
    if said:
        places = joined(say(" or "), said)
        text = say("The model is the right one, but another adapter was put into it: one of {places}.", places=places)
    else:
        text = say("The model is the right one, but another adapter was put into it.")
    return Diagnosis(id="another-modules" if stories and not ranks else "another-adapter", text=text)


def _stories(trainable: int, figures: Figures) -> Iterator[tuple[int, tuple[str, ...] | None]]:
    """The adapters that have so many parameters: another rank, or the asked one on other modules."""
    unit = figures.trainable.total // figures.rank
    if unit and trainable and trainable % unit == 0 and trainable // unit <= _MOST_RANK:
        yield trainable // unit, None
    names = tuple(figures.sizes)
    for number in range(1, len(names) + 1):
        for chosen in combinations(names, number):
            size = sum(figures.sizes[name] for name in chosen)
            if size * figures.rank == trainable and trainable != figures.trainable.total:
                yield figures.rank, chosen


def _other_model(pair: Pair, figures: Figures) -> Diagnosis | None:
    for title, other in figures.others:
        if pair.total in {count.total for count in other.totals} or pair.total - pair.trainable in other.bases:
            text = say("The figures are those of another model: {model}.", model=say_data(title))
            return Diagnosis(id="another-model", text=text)
    if "train" in " ".join(pair.lines).lower():
        return Diagnosis(id="another-model", text=say("The figures printed are those of another model."))
    return None
