"""Closed forms: the number of parameters of the usual architectures as one writes it on paper.

Symbols: V words, P positions, T token types, d width, f feed-forward width, L layers (E of an encoder, D of a
decoder), h heads of k values each, g of them with keys and values of their own, B buckets of relative positions. The
forms follow from the papers' equations; that they equal the counts of the library's models is tested.
"""

from collections.abc import Callable
from typing import Any, Final

from transformers import PreTrainedConfig

from grader.frozen import Frozen
from reference.counting import parts

_HEAD: Final = "language-model head"


class Term(Frozen):
    """The parameters of one part: as an expression in the symbols, and as a number."""

    part: str
    expression: str
    value: int


class ClosedForm(Frozen):
    """The parameters of a model part by part, in the symbols' values."""

    symbols: dict[str, int]
    terms: tuple[Term, ...]

    @property
    def total(self) -> int:
        """The number of all parameters."""
        return sum(term.value for term in self.terms)


def closed_form(config: PreTrainedConfig, task: str) -> ClosedForm | None:
    """The closed form of an architecture for a task, if it has one here."""
    form = _FORMS.get((config.model_type, task))
    return form(config, task) if form else None


def encoder(config: Any, task: str) -> ClosedForm:
    """BERT and RoBERTa (Devlin et al. 2019, Liu et al. 2019): norms after the embedding and after each block."""
    v, p, t, d = config.vocab_size, config.max_position_embeddings, config.type_vocab_size, config.hidden_size
    f, n = config.intermediate_size, config.num_hidden_layers
    head, written = d * d + 3 * d + v, "d² + 3 d + V"
    if not config.tie_word_embeddings:  # transformers then unties the output's bias too, and has two
        head, written = head + v * d + v, f"{written} + V d + V"
    end = {
        "base": Term(part=parts.POOLER, expression="d² + d", value=d * d + d),
        "masked-lm": Term(part=_HEAD, expression=written, value=head),
    }
    return ClosedForm(
        symbols={"V": v, "P": p, "T": t, "d": d, "f": f, "L": n},
        terms=(
            Term(part=parts.TOKENS, expression="V d", value=v * d),
            Term(part=parts.POSITIONS, expression="P d", value=p * d),
            Term(part=parts.SEGMENTS, expression="T d", value=t * d),
            Term(part=parts.NORMS, expression="2 d (2 L + 1)", value=2 * d * (2 * n + 1)),
            Term(part=parts.ATTENTION, expression="L (4 d² + 4 d)", value=n * (4 * d * d + 4 * d)),
            Term(part=parts.FEED_FORWARD, expression="L (2 d f + f + d)", value=n * (2 * d * f + f + d)),
            end[task],
        ),
    )


def gpt2(config: Any, task: str) -> ClosedForm:
    """GPT-2 (Radford et al. 2019): norms before each block and after the last."""
    v, p, d, n = config.vocab_size, config.n_positions, config.n_embd, config.n_layer
    f = config.n_inner or 4 * d
    return ClosedForm(
        symbols={"V": v, "P": p, "d": d, "f": f, "L": n},
        terms=(
            Term(part=parts.TOKENS, expression="V d", value=v * d),
            Term(part=parts.POSITIONS, expression="P d", value=p * d),
            Term(part=parts.NORMS, expression="2 d (2 L + 1)", value=2 * d * (2 * n + 1)),
            Term(part=parts.ATTENTION, expression="L (4 d² + 4 d)", value=n * (4 * d * d + 4 * d)),
            Term(part=parts.FEED_FORWARD, expression="L (2 d f + f + d)", value=n * (2 * d * f + f + d)),
            *_output(config, task, v * d),
        ),
    )


def bloom(config: Any, task: str) -> ClosedForm:
    """BLOOM (Le Scao et al. 2022): no positions, a norm after the embedding, a feed-forward width of 4 d."""
    v, d, n = config.vocab_size, config.hidden_size, config.n_layer
    return ClosedForm(
        symbols={"V": v, "d": d, "L": n},
        terms=(
            Term(part=parts.TOKENS, expression="V d", value=v * d),
            Term(part=parts.NORMS, expression="2 d (2 L + 2)", value=2 * d * (2 * n + 2)),
            Term(part=parts.ATTENTION, expression="L (4 d² + 4 d)", value=n * (4 * d * d + 4 * d)),
            Term(part=parts.FEED_FORWARD, expression="L (8 d² + 5 d)", value=n * (8 * d * d + 5 * d)),
            *_output(config, task, v * d),
        ),
    )


def llama(config: Any, task: str) -> ClosedForm | None:
    """Llama and Mistral (Touvron et al. 2023, Jiang et al. 2023): rotary positions, grouped queries, a gated
    feed-forward network, no biases (None where the configuration asks for some)."""
    if getattr(config, "attention_bias", False) or getattr(config, "mlp_bias", False):
        return None
    v, d, f, n = config.vocab_size, config.hidden_size, config.intermediate_size, config.num_hidden_layers
    h, g = config.num_attention_heads, config.num_key_value_heads
    k = getattr(config, "head_dim", None) or d // h
    return ClosedForm(
        symbols={"V": v, "d": d, "f": f, "L": n, "h": h, "g": g, "k": k},
        terms=(
            Term(part=parts.TOKENS, expression="V d", value=v * d),
            Term(part=parts.NORMS, expression="d (2 L + 1)", value=d * (2 * n + 1)),
            Term(part=parts.ATTENTION, expression="2 L d k (h + g)", value=2 * n * d * k * (h + g)),
            Term(part=parts.FEED_FORWARD, expression="3 L d f", value=3 * n * d * f),
            *_output(config, task, v * d),
        ),
    )


def t5(config: Any, task: str) -> ClosedForm:
    """T5 (Raffel et al. 2020): relative positions in the first layers, no biases; since version 1.1 a gated
    feed-forward network."""
    v, d, f, h, k = config.vocab_size, config.d_model, config.d_ff, config.num_heads, config.d_kv
    e, n, b = config.num_layers, config.num_decoder_layers, config.relative_attention_num_buckets
    matrices = 3 if config.is_gated_act else 2
    return ClosedForm(
        symbols={"V": v, "d": d, "f": f, "h": h, "k": k, "E": e, "D": n, "B": b},
        terms=(
            Term(part=parts.TOKENS, expression="V d", value=v * d),
            Term(part=parts.POSITIONS, expression="2 B h", value=2 * b * h),
            Term(part=parts.NORMS, expression="d (2 E + 3 D + 2)", value=d * (2 * e + 3 * n + 2)),
            Term(part=parts.ATTENTION, expression="4 d h k (E + 2 D)", value=4 * d * h * k * (e + 2 * n)),
            Term(part=parts.FEED_FORWARD, expression=f"{matrices} d f (E + D)", value=matrices * d * f * (e + n)),
            *_output(config, task, v * d),
        ),
    )


def _output(config: Any, task: str, size: int) -> tuple[Term, ...]:
    """The output layer of a language model without a bias: nothing where it is tied to the embedding."""
    if task == "base" or config.tie_word_embeddings:
        return ()
    return (Term(part=_HEAD, expression="V d", value=size),)


_FORMS: Final[dict[tuple[str, str], Callable[[Any, str], ClosedForm | None]]] = {
    **{
        (name, task): encoder
        for name in ("bert", "roberta", "xlm-roberta", "camembert")
        for task in ("base", "masked-lm")
    },
    **{("gpt2", task): gpt2 for task in ("base", "causal-lm")},
    **{("bloom", task): bloom for task in ("base", "causal-lm")},
    **{(name, task): llama for name in ("llama", "mistral") for task in ("base", "causal-lm")},
    **{("t5", task): t5 for task in ("base", "seq2seq-lm")},
}
