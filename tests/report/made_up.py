"""Made-up results, ordinary and extreme, whose reports are looked at."""

from collections.abc import Callable
from decimal import Decimal

from grader.report.pictures import Picture, Pictures
from grader.report.specimen import specimen
from grader.result import Curve, CurveBand, Diagnosis, Flag, GradedFile, ItemResult, Result, Severity, Status
from tests.factories import evidence, item, result
from tests.report.png import png

BOX = (72.0, 100.0, 300.0, 112.0)
SCRIPTS = {
    "arabic": "مجموع المعلمات هو 22,807,552 لأن المصفوفة 512^{2} تظهر أربع مرات",
    "hebrew": "מספר הפרמטרים הוא 22,807,552, כי d_{model} = 512",
    "chinese": "参数总数为 22,807,552，因为矩阵出现四次。",
    "japanese": "パラメータの総数は 22,807,552 です。",
    "korean": "매개변수의 총수는 22,807,552개입니다.",
    "hindi": "कुल पैरामीटर 22,807,552 हैं।",
    "thai": "จำนวนพารามิเตอร์ทั้งหมดคือ 22,807,552",
    "cyrillic": "Всего параметров: 22 807 552, потому что 4 × 512^{2}.",
    "greek": "Το σύνολο είναι 22.807.552· το άθροισμα α + β.",
    "vietnamese": "Tổng số tham số là 22.807.552 vì ma trận xuất hiện bốn lần.",
    "emoji": "Done 🎉🚀 👩🏽‍💻 ✅ ❌ 🇫🇷, see below 👇",
    "mathematics": "𝐖 ∈ ℝ^{d×r}, ∑ᵢ xᵢ² ≤ √2 ⟨a, b⟩ → ∞ ⊗ 𝑑_{model} ≈ 512",
}


def ordinary() -> Result:
    """Some of everything, as most reports have it."""
    proof = evidence("4 × 512^{2} = 1,048,576 parameters for attention", box=BOX)
    slip = Diagnosis(id="slip", text="The position embedding is left out.")
    items = [
        item("q1.total", title="Total number of parameters", found="22807552", evidence=(proof,)),
        item(
            "q1.derivation",
            Status.PARTIAL,
            title="Calculation of the total",
            found="token embedding, attention",
            expected="token embedding: 16,384,000; position embedding: 132,096",
            truths=("small/parts",),
            diagnoses=(slip,),
            feedback="What the total shows: a part is left out.",
            evidence=(proof, evidence("32,000 × 512 = 16,384,000", page=2)),
        ),
        item("q2.band", Status.INCORRECT, "1", title="The average lies in the band", expected="78.2 to 80.9 %"),
        item("q2.table", Status.REVIEW, "1.5", title="The comparison follows", feedback="The figures disagree."),
        item("q3.prompt", Status.MISSING, "1", title="The prompt's format is right"),
    ]
    curves = tuple(
        Curve(experiment="base", split=split, seed=seed, steps=(225, 450, 675, 900), values=(61 + seed, 70, 76.5, 79))
        for split in ("valid", "test")
        for seed in (1, 2)
    )
    band = CurveBand(id="band", experiment="base", split="test", schedule=None, low=74.0, high=80.0, share=95)
    return result("ann", items, name="Ann Lee", curves=curves, curve_bands=(band,))


def everything() -> Result:
    """Every field, every status."""
    return specimen()


def long_names() -> Result:
    """Names and titles at their limits and beyond."""
    name = "Maria-Magdalena Wolfeschlegelsteinhausenbergerdorff de la Santísima Trinidad y Todos los Santos"
    title = "A question whose title goes on for longer than anybody would wish who has to read it in a table"
    items = [
        item(f"q{number}.{'long_identifier_' * 4}", status, "123.25", title=title * 2)
        for number, status in enumerate(Status)
    ]
    made = result("s" * 120, items, name=name)
    lab = made.lab.model_copy(update={"title": f"{title} or in a head"})
    questions = tuple(one.model_copy(update={"title": title * 2}) for one in made.questions)
    return made.model_copy(update={"lab": lab, "questions": questions})


def long_quotes() -> Result:
    """Forty lines in each quote."""
    code = "\n".join(f"    layer_{number} = torch.nn.Linear(512, 512, bias={number % 2 == 0})" for number in range(40))
    return _each_status(evidence=(evidence(code), evidence(code, page=None, cell=3), evidence("\n" * 40 + "x")))


def no_data() -> Result:
    """Nothing but a name."""
    return result("nobody", [], files=())


def no_points() -> Result:
    """A lab in which nothing is worth a point."""
    return result("ann", [item("q1.a", Status.CORRECT, "0"), item("q1.b", Status.INCORRECT, "0")])


def nothing_earned() -> Result:
    """All is wrong."""
    return result("bob", [item(f"q{number}.a", Status.INCORRECT, "2.5", found="0") for number in range(12)])


def much_evidence() -> Result:
    """Three hundred pages of it, and as many files."""
    proof = tuple(evidence(f"the total on page {page} is 42", page=page, box=BOX) for page in range(1, 301))
    files = tuple(GradedFile(path=f"runs/{n}/events.out.tfevents.{n}", role="log", state="read") for n in range(300))
    return result("cyd", [item(f"q1.{n}", status, evidence=proof) for n, status in enumerate(Status)], files=files)


def scripts() -> Result:
    """Many of the world's scripts, and emoji."""
    items = [
        item(f"q1.{name}", Status.PARTIAL, "1", found=text, evidence=(evidence(text, page=1),), feedback=text)
        for name, text in SCRIPTS.items()
    ]
    return result("dan", items, name="שרה لَيلى 李小龙 Đặng 🎓")


def markup() -> Result:
    """HTML, CSS, templates and LaTeX where words are expected."""
    texts = (
        "<script>alert(1)</script><style>* { display: none }</style>",
        "</span></p></div></article><h1>BIG</h1><table><tr><td>",
        "{{ view.name }} {% raw %} ${7*7} %(count)s {0} {count}",
        "<img src=x onerror=alert(1)> &lt;b&gt; &amp; \"quotes\" 'single' `ticks`",
        "\\frac{a}{b} $\\sum_{i=1}^{n} x_i$ ^{<b>} _{</p>}",
    )
    items = [
        item(
            f"q1.{n}", Status.PARTIAL, title=text, found=text, expected=text, feedback=text, evidence=(evidence(text),)
        )
        for n, text in enumerate(texts)
    ]
    return result("<b>eve</b>", items, name="<h1>Eve</h1>", flags=tuple(_flag(text) for text in texts))


def unbroken() -> Result:
    """Words that never end."""
    word = "W" * 3000
    digits = "0123456789" * 300
    files = (GradedFile(path=f"{word}/{digits}.pdf", role="report", state="partly", reason=word),)
    return _each_status(
        found=word,
        expected=digits,
        feedback=word,
        title=digits,
        truths=(word, digits),
        diagnoses=(Diagnosis(id="d", text=digits),),
        evidence=(evidence(word, file=word), evidence(digits, file=digits)),
    ).model_copy(update={"submission": result("x", files=files).submission, "flags": (_flag(word),)})


CASES: dict[str, Callable[[], Result]] = {
    make.__name__: make
    for make in (
        ordinary,
        everything,
        long_names,
        long_quotes,
        no_data,
        no_points,
        nothing_earned,
        much_evidence,
        scripts,
        markup,
        unbroken,
    )
}


def _flag(text: str) -> Flag:
    return Flag(id="arithmetic", severity=Severity.INFO, message=text, evidence=(evidence(text, file=text),))


def _each_status(**more: object) -> Result:
    items: list[ItemResult] = [item(f"q1.{status}", status, **more) for status in Status]
    return result("ann", items, late_penalty=Decimal("0.25"))


PICTURES: Pictures = {
    (one.id, "report.pdf", 1, BOX): Picture(png(), 200.0, 40.0) for make in CASES.values() for one in make().items
}
