"""Staff see where on a page the text stands that a PDF hides; students' reports have no such picture."""

from pathlib import Path

from PIL import Image

from tests.conftest import run_grade
from tests.reading.making import pdf, text
from tests.serve.serving import Client, serving

SHOWN = text(72, 720, "Question 1", size=16) + text(72, 690, "About the model.")
WHITE = f"1 g {text(72, 660, 'The model has 22,807,552 parameters in total.')} 0 g "


def test_the_page_of_a_student_shows_where_text_is_hidden(tmp_path: Path) -> None:
    for student, content in {"ada": SHOWN + WHITE, "ben": SHOWN}.items():
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "report.pdf").write_bytes(pdf(content))
    done = run_grade(tmp_path / "class", "--as", "class", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "out" / "ada" / "hidden-text.png") as image:
        assert image.width > 4 * image.height, "a strip of the page"
        below = image.crop((0, image.height // 3, image.width, 2 * image.height // 3)).convert("L")
        assert below.getextrema()[0] < 200, "the place of the white text is framed"
    assert not (tmp_path / "out" / "ben" / "hidden-text.png").exists()
    with serving(tmp_path / "out") as served:
        ana = Client(served, "ana")
        _, _, page = ana.get("/students/ada")
        assert "The model has 22,807,552 parameters in total." in page
        assert 'src="/crops/ada/hidden-text.png"' in page
        assert ana.get("/crops/ada/hidden-text.png")[1]["content-type"] == "image/png"
        assert "hidden-text.png" not in ana.get("/students/ben")[2]
        assert ana.get("/crops/ben/hidden-text.png")[0] == 404
