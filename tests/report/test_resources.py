from pathlib import Path

import pytest

from grader.report.resources import template_file, templates_folder


def test_templates_and_fonts_are_reached() -> None:
    folder = templates_folder()
    for name in ("tokens.css", "fonts/DejaVuSansMono.ttf"):
        assert template_file((folder / name).as_uri()) == (folder / name).resolve()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "http://localhost/x.css",
        "https://example.org/x.css",
        "ftp://example.org/x",
        "data:text/css,*{}",
        "file://server/share/x.css",
        "student.css",
        "",
        "{folder}/../README.md",
        "{folder}/../pyproject.toml",
        "{folder}/%2e%2e/pyproject.toml",
        "{folder}/fonts/../../pyproject.toml",
        "{folder}/fonts",
        "{folder}",
        "{folder}/no-such-file.css",
        "{folder}/a%00b",
    ],
)
def test_nothing_else_is_reached(url: str) -> None:
    with pytest.raises((ValueError, OSError)):
        template_file(url.replace("{folder}", templates_folder().resolve().as_uri()))


def test_a_link_that_leads_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "templates"
    folder.mkdir()
    (tmp_path / "secret.css").write_text("secret")
    (folder / "inside.css").write_text("fine")
    (folder / "link.css").symlink_to(tmp_path / "secret.css")
    (folder / "loop.css").symlink_to(folder / "loop.css")
    monkeypatch.setattr("grader.report.resources.PACKAGED", folder)
    assert template_file((folder / "inside.css").as_uri()).read_text() == "fine"
    for name in ("link.css", "loop.css"):
        with pytest.raises((ValueError, OSError, RuntimeError)):
            template_file((folder / name).as_uri())
