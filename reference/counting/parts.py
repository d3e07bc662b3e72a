"""The meaning of a parameter: its kind (embedding, weight, bias, norm), and the part of the model that it belongs to.

Both follow from the module tree: from the class of the module that owns the parameter, from the nearest module around
it whose name or class says what it does, and from the size of a table against the configuration. No architecture is
known by its name. A lab may name the parts of its own model.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final, Literal

from transformers import PreTrainedConfig

from reference.counting.tensors import Step, Tensor

Kind = Literal["embedding", "weight", "bias", "norm"]

TOKENS: Final = "token embedding"
POSITIONS: Final = "position embedding"
SEGMENTS: Final = "token-type embedding"
OTHER_TABLE: Final = "other embedding"
ATTENTION: Final = "attention"
FEED_FORWARD: Final = "feed-forward"
NORMS: Final = "norms"
POOLER: Final = "pooler"
ADAPTER: Final = "adapter"
CONVOLUTION: Final = "convolution"
RECURRENT: Final = "recurrent layer"
LINEAR: Final = "linear layer"
OTHER: Final = "other"

_SAYS: Final = (
    (re.compile(r"attention|attn", re.IGNORECASE), ATTENTION),
    (re.compile(r"mlp|ffn|feed_?forward|moe|expert|^ff$", re.IGNORECASE), FEED_FORWARD),
    (re.compile(r"mamba|ssm|mixer|rwkv|recurrent|delta_?net|short_?conv", re.IGNORECASE), "state-space mixer"),
    (re.compile(r"embed", re.IGNORECASE), "input projection"),
)
"""What the name or the class of a module says about the matrices in it."""

_CLASSES: Final = (
    (re.compile(r"Conv(?:Transpose)?[123]d$"), CONVOLUTION),
    (re.compile(r"(?:RNN|LSTM|GRU)(?:Cell)?$"), RECURRENT),
    (re.compile(r"^(?:Lazy)?(?:Bil|L)inear$"), LINEAR),
)
"""What the class of the layer that owns a parameter says where nothing else does."""

_POOLER: Final = re.compile(r"^pool", re.IGNORECASE)
_TABLE: Final = re.compile(r"embed|token|pos", re.IGNORECASE)
_TYPES: Final = re.compile(r"type|segment", re.IGNORECASE)
_PLACES: Final = re.compile(r"pos|relative|distance", re.IGNORECASE)
_EXTRA_ROWS: Final = 8
"""A table of positions may hold a few rows more than there are positions: fairseq's for padding, a class token's."""


@dataclass(frozen=True)
class Surroundings:
    """The properties of a model that decide about a parameter besides the parameter itself: the model's configuration,
    if it has one, the name of its head, the lists of modules that are layers of a transformer (that is, hold
    attention), and the lab's own names for modules."""

    config: PreTrainedConfig | None
    head: str
    attending: frozenset[str]
    own: tuple[tuple[str, str], ...] = ()


def attending(tensors: Iterable[Tensor]) -> frozenset[str]:
    """The lists of modules that hold attention."""
    return frozenset(tensor.stack for tensor in tensors if tensor.layer and _says(tensor.way) == ATTENTION)


def kind_of(tensor: Tensor) -> Kind:
    """Return the kind of a parameter in its module. A bare parameter, owned by no layer of torch, is recognised by its
    own name."""
    if tensor.owner in ("norm", "embedding"):
        return "norm" if tensor.owner == "norm" else "embedding"
    if tensor.owner == "other" and not tensor.adapter and _TABLE.search(tensor.name):
        return "embedding"
    return "bias" if "bias" in tensor.name else "weight"


def part_of(tensor: Tensor, around: Surroundings) -> str:
    """The part of the model that a parameter belongs to, in the words of students."""
    if tensor.adapter:
        return ADAPTER
    place = ".".join(step.name for step in tensor.way)
    for pattern, part in around.own:
        if any(fnmatchcase(text, pattern) for text in (place, f"{place}.{tensor.name}")):
            return part
    if tensor.head:
        return around.head
    if not tensor.layer and any(_POOLER.search(step.name) for step in tensor.way):
        return POOLER
    kind = kind_of(tensor)
    if kind == "norm":
        return NORMS
    if kind == "embedding":
        return _table(tensor, around.config)
    named_part = _says(tensor.way)
    if named_part or tensor.stack in around.attending:
        return named_part or FEED_FORWARD
    kind_of_layer = tensor.way[-1].class_name if tensor.way else ""
    return next((part for pattern, part in _CLASSES if pattern.search(kind_of_layer)), OTHER)


def attention_depth(tensor: Tensor) -> int | None:
    """Return how many steps below the layer a parameter's attention begins; None outside of any attention."""
    return next((depth for depth, step in enumerate(tensor.inside) if _says((step,)) == ATTENTION), None)


def _says(way: Iterable[Step]) -> str | None:
    """Return the part named by the nearest module that names one."""
    for step in reversed(tuple(way)):
        for pattern, part in _SAYS:
            if pattern.search(step.name) or pattern.search(step.class_name):
                return part
    return None


def _table(tensor: Tensor, config: PreTrainedConfig | None) -> str:
    """Return the table that an embedding is: the model's own input; else the one that its names say; else the one that
    its rows fit."""
    if tensor.input:
        return TOKENS
    words = (tensor.name, *(tensor.way[-1] if tensor.owner == "embedding" else ()))
    if any(map(_TYPES.search, words)):
        return SEGMENTS
    if any(map(_PLACES.search, words)):
        return POSITIONS
    if config is None:
        return OTHER_TABLE
    rows, text = (0, 0, *tensor.shape)[-2], config.get_text_config()
    positions = getattr(text, "max_position_embeddings", None)
    if isinstance(positions, int) and positions <= rows <= positions + _EXTRA_ROWS:
        return POSITIONS
    if rows == getattr(text, "vocab_size", None):
        return TOKENS
    return SEGMENTS if rows == getattr(text, "type_vocab_size", None) else OTHER_TABLE
