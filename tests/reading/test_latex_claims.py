"""The same content in LaTeX and in Markdown makes the same claims."""

from pathlib import Path

import pytest

from grader.claims.counts import counts
from grader.claims.definitions import definitions
from grader.claims.equations import equations
from grader.claims.passage import Passage
from grader.claims.results.claimed import result_claims
from grader.claims.sections import sections
from grader.reading.document import Document
from tests.claims.making import document, lab
from tests.reading.making_latex import latex

COUNTING = (
    r"""\section{Question 1}
\newcommand{\dm}{d_{\text{model}}}
We leave the biases out\footnote{They may be omitted.}. With $V = 32{,}000$ words and $\dm = 512$
the embedding has $32{,}000 \times 512 = \num{16384000}$ parameters.
\begin{align}
\text{attention} &= 4 \times 512^2 = 1{,}048{,}576 \label{eq:attention}\\
\text{layer} &= 1{,}048{,}576 + 2 \times 512^{2} \nonumber \\
 &= 1{,}572{,}864
\end{align}
\begin{equation*}
4 \times \left(1\,572\,864\right) = \mathbf{6\,291\,456}
\end{equation*}
In total: $16{,}384{,}000 + 132{,}096 + 6{,}291{,}456 = \boxed{22{,}807{,}552}$ parameters.
""",
    r"""# Question 1

We leave the biases out. With V = 32,000 words and d_model = 512
the embedding has 32,000 × 512 = 16384000 parameters.

$$\text{attention} = 4 \times 512^2 = 1,048,576$$

$$\text{layer} = 1,048,576 + 2 \times 512^{2} = 1,572,864$$

$$4 \times (1 572 864) = 6 291 456$$

In total: 16,384,000 + 132,096 + 6,291,456 = **22,807,552** parameters.

They may be omitted.
""",
)

RESULTS = (
    r"""\section{Task 3}
The pretrained model, fine-tuned with fairseq:
\begin{table}[ht]
  \centering
  \begin{tabular}{l S S}
    \toprule
    Seed & {Validation (\%)} & {Test (\%)} \\ \midrule
    0 & 81.0 & 79.3 \\
    1 & 80.0 & 78.5 \\
    2 & 83.5 & 80.1 \\
    Mean & 81.5 & 79.3 \\
    Std & 1.47 & 0.65 \\ \bottomrule
  \end{tabular}
  \caption{Accuracy of the pretrained model.}
\end{table}

\section{Task 5}
With Hugging Face the average on the test set is \SI{80.1}{\percent} and the standard
deviation is $0.7\,\%$.
""",
    r"""# Task 3

The pretrained model, fine-tuned with fairseq:

| Seed | Validation (%) | Test (%) |
|------|----------------|----------|
| 0 | 81.0 | 79.3 |
| 1 | 80.0 | 78.5 |
| 2 | 83.5 | 80.1 |
| Mean | 81.5 | 79.3 |
| Std | 1.47 | 0.65 |

Accuracy of the pretrained model.

# Task 5

With Hugging Face the average on the test set is 80.1 % and the standard
deviation is 0.7 %.
""",
)

RULED = (
    RESULTS[0].replace(r" \\" + "\n", " \\\\ \n\\hline\n").replace(r"\toprule", r"\hline"),
    RESULTS[1],
)

DEFINITIONS = (
    r"""\section{Question 2}
\begin{description}
\item[\texttt{r = 16}:] the rank of the update matrices,
which have far fewer parameters.
\item[\texttt{lora\_alpha}] is the scaling factor; the update is multiplied by $\alpha / r$.
\item[\texttt{bias="none"}] tells that no bias is trained.
\end{description}
\begin{itemize}
\item \textbf{lora\_dropout = 0.05}: the dropout probability of the LoRA layers.
\end{itemize}
""",
    r"""# Question 2

- **r = 16**: the rank of the update matrices,
  which have far fewer parameters.
- `lora_alpha`: is the scaling factor; the update is multiplied by $\alpha / r$.
- `bias="none"`: tells that no bias is trained.
- **lora_dropout = 0.05**: the dropout probability of the LoRA layers.
""",
)


def passages(text: Document) -> list[Passage]:
    return [section.passage for section in sections(text, lab())]


def _close(written: str) -> str:
    return written.replace(" ", "")


def claimed(text: Document) -> dict[str, list[object]]:
    cut = sections(text, lab())
    found = result_claims(cut, lab())
    return {
        "sections": [section.questions for section in cut if section.questions],
        "counts": [(c.value, c.is_result, c.is_total) for part in cut for c in counts(part.passage)],
        "equations": [(_close(e.left), _close(e.right), e.holds) for part in cut for e in equations(part.passage)],
        "seeds": [(c.experiment, c.split, c.seed, c.value) for c in found.seeds],
        "summaries": [(c.experiment, c.split, c.mean, c.std) for c in found.summaries],
        "definitions": [
            (c.parameter, "".join(c.text.split()), c.value)
            for part in cut
            for c in definitions(part.passage, lab())
            if c.named
        ],
    }


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (COUNTING, {"counts": 12, "equations": 5}),
        (RESULTS, {"seeds": 6, "summaries": 3}),
        (RULED, {"seeds": 6, "summaries": 3}),
        (DEFINITIONS, {"definitions": 4}),
    ],
    ids=["counting", "results", "ruled table", "definitions"],
)
def test_both_say_the_same(tmp_path: Path, sources: tuple[str, str], expected: dict[str, int]) -> None:
    written_in_latex, written_in_markdown = sources
    in_latex = claimed(latex(tmp_path, written_in_latex))
    in_markdown = claimed(document(written_in_markdown))
    assert in_latex == in_markdown
    assert {name: len(in_latex[name]) for name in expected} == expected
    assert str(in_latex["equations"]).count("False") == 0


def test_evidence_names_the_included_file(tmp_path: Path) -> None:
    document = latex(tmp_path, r"\input{count}", count="\nThe total is $22{,}807{,}552$ parameters.\n")
    (claim,) = counts(Passage.from_document(document))
    assert (claim.evidence.file, claim.evidence.line) == ("count.tex", 2)


def test_a_table_in_an_included_file_has_its_place(tmp_path: Path) -> None:
    document = latex(tmp_path, "\\section{Task 3}\n\\input{part}", part=RESULTS[0].split("\n", 1)[1])
    found = result_claims(sections(document, lab()), lab())
    assert {claim.evidence.file for claim in found.seeds} == {"part.tex"}
