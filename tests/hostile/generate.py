"""Some hundred hand-ins made to do harm, by name. `python -m tests.hostile.generate FOLDER` writes them as a class.

No two are alike, and none holds more than a student could hand in: large ones are sparse or packed.
"""

import html
import io
import json
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from tests.reading.fuzz.containers import zipped
from tests.reading.making import notebook, pdf, record

Make = Callable[[Path], None]
"""Writes one hand-in into an empty folder."""

SIZE: Final = 200_000
"""In characters, of a flood."""
TOKENS: Final = {
    "greater": ">", "less": "<", "round": "(", "square": "[", "curly": "{", "closing": ")", "colon": ":",
    "question": "?", "pipe": "|", "entity": "&amp;", "ampersand": "&", "dollar": "$", "backtick": "`", "star": "*",
    "underscore": "_", "hash": "#", "backslash": "\\", "equals": "=", "quote": '"', "digit": "9", "sum": "1+",
    "bullet": "- ", "key": "a: ", "word": "a ", "power": "x^", "fraction": "\\frac{", "comma": ", ", "minus": "--",
}  # fmt: skip
_OFFICE: Final = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>%s'
    b"</w:t></w:r></w:p></w:body></w:document>"
)
_NAMES: Final = (
    "class.html", "class.pdf", "class.json", "grades.csv", "overrides.toml", "gradebook.sqlite", "gradebook.sqlite-wal",
    "gradebook.sqlite-shm", "con", "nul.txt", "-rf", "--help", "$(reboot)", "`id`", "a;b", "{{7*7}}", "{% raise %}",
    "=1+1", "@SUM(A1)", "<script>alert(1)</script>", "％2e％2e", "\u202egnp.exe", "a\nb", "x" * 200, "%s%n", "ℹ️", "é",
)  # fmt: skip


def hand_ins() -> Iterator[tuple[str, Make]]:
    """All of them: the name of the student's folder, and what writes it."""
    for word, token in TOKENS.items():
        for form, make in _FLOODED.items():
            yield f"flood-{form}-{word}", partial(make, text=token * (SIZE // len(token)))
    for name in _NAMES:
        yield name, partial(_write, name="report.md", content=f"# Question 1\n\n{name}")
    yield from _PDFS.items()
    yield from _ARCHIVES.items()
    yield from _OTHERS.items()


def write_class(folder: Path) -> list[str]:
    """Write all hand-ins into a folder; returns their names."""
    names = []
    for name, make in hand_ins():
        place = folder / name.replace("/", "_")
        place.mkdir(parents=True)
        make(place)
        names.append(place.name)
    return names


def _write(folder: Path, name: str, content: str | bytes | Callable[[], bytes]) -> None:
    """What takes long to make is made when it is written."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    made = content() if callable(content) else content
    path.write_bytes(made.encode() if isinstance(made, str) else made)


def _sparse(folder: Path, name: str, size: int, head: bytes = b"") -> None:
    with (folder / name).open("wb") as file:
        file.write(head)
        file.truncate(size)


def _flooded_notebook(folder: Path, text: str) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": text},
        {"output_type": "execute_result", "data": {"text/plain": text, "text/html": text}},
    ]
    cells = ({"cell_type": "markdown", "source": text}, {"cell_type": "code", "source": text, "outputs": outputs})
    _write(folder, "lab.ipynb", notebook(*cells))


def _flooded_docx(folder: Path, text: str) -> None:
    _write(folder, "report.docx", zipped([("word/document.xml", _OFFICE % html.escape(text).encode())]))


_FLOODED: Final[dict[str, Callable[..., None]]] = {
    "md": lambda folder, text: _write(folder, "report.md", f"# Question 1\n\n{text}"),
    "txt": lambda folder, text: _write(folder, "report.txt", text),
    "html": lambda folder, text: _write(folder, "report.html", f"<html><body><p>{text}</p></body></html>"),
    "tex": lambda folder, text: _write(
        folder, "report.tex", f"\\documentclass{{article}}\\begin{{document}} {text} \\end{{document}}"
    ),
    "ipynb": _flooded_notebook,
    "docx": _flooded_docx,
    "py": lambda folder, text: _write(folder, "train.py", text),
    "log": lambda folder, text: _write(folder, "train.log", f"2023-11-20 10:00:00 | INFO | train | {text}"),
}


def _objects(*objects: bytes, root: int = 1) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, root, start)
    return bytes(out)


def _stream(content: bytes, dictionary: bytes = b"") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (dictionary, len(content), content)


def _page(content: bytes, resources: bytes = b"", *more: bytes) -> bytes:
    return _objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << %s >> >>" % resources,
        content,
        *more,
    )


_FORM: Final = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /A 5 0 R /B 5 0 R >> >>"
_CATALOG: Final = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT: Final = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"


def _packed_pages(number: int) -> bytes:
    return pdf(*(f"BT /F1 9 Tf 72 700 Td ({page}) Tj ET" for page in range(number)))


_PDFS: Final[dict[str, Make]] = {
    f"pdf-{name}": partial(_write, name="report.pdf", content=content)
    for name, content in {
        "empty": b"",
        "head-only": b"%PDF-1.7",
        "no-end": b"%PDF-1.7\n" + b"1 0 obj\n<<" * 10_000,
        "self-form": _page(_stream(b"/A Do " * 100), b"/XObject << /A 5 0 R >>", _stream(b"/A Do /B Do " * 50, _FORM)),
        "marked": _page(_stream(b"BT /F1 9 Tf " + b"/P << /MCID 1 >> BDC (a) Tj " * 50_000 + b"ET"), _FONT),
        "marked-ended": _page(_stream(b"BT /F1 9 Tf " + b"/P BMC (a) Tj EMC " * 50_000 + b"ET"), _FONT),
        "states": _page(_stream(b"q " * 500_000)),
        "paths": _page(_stream(b"1 1 m 2 2 l " * 200_000 + b"S")),
        "rules": _page(_stream(b"0 0 612 1 re f " * 100_000)),
        "glyphs": _page(_stream(b"BT /F1 1 Tf " + b"(aaaaaaaaaa) Tj " * 50_000 + b"ET"), _FONT),
        "overprinted": _page(_stream(b"BT /F1 9 Tf 72 700 Td " + b"(a) Tj 0 0 Td " * 30_000 + b"ET"), _FONT),
        "pages-loop": _objects(_CATALOG, b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>"),
        "count-lie": _objects(_CATALOG, b"<< /Type /Pages /Kids [] /Count 2147483647 >>"),
        "deep-array": _objects(b"[" * 100_000),
        "huge-page": _page(_stream(b"")).replace(b"612 792", b"1e9 1e9"),
        "bomb": lambda: _page(_stream(zlib.compress(b"q " * 25_000_000, 9), b"/Filter /FlateDecode")),
        "bomb-of-bomb": lambda: _page(
            _stream(zlib.compress(zlib.compress(b"\0" * 10**8, 9), 9), b"/Filter [/FlateDecode /FlateDecode]")
        ),
        "picture": _page(
            _stream(b"/A Do"),
            b"/XObject << /A 5 0 R >>",
            _stream(b"x", b"/Subtype /Image /Width 100000 /Height 100000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"),
        ),
        "scripted": _objects(b"<< /Type /Catalog /OpenAction << /S /JavaScript /JS (app.alert(1)) >> /Pages 2 0 R >>",
                             b"<< /Type /Pages /Kids [] /Count 0 >>"),
        "many-pages": _packed_pages(2_000),
    }.items()
}  # fmt: skip


def _zip_of(files: dict[str, bytes], **attributes: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(info, key, value)
            archive.writestr(info, content)
    return out.getvalue()


def _nested(levels: int) -> bytes:
    content = _zip_of({"report.md": b"# Question 1"})
    for _ in range(levels):
        content = _zip_of({"inner.zip": content})
    return content


def _listing(number: int) -> bytes:
    """A table of so many empty entries."""
    entry = b"PK\x01\x02" + struct.pack("<6H3I5H2I", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    end = b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, number & 0xFFFF, number & 0xFFFF, len(entry) * number, 0, 0)
    return entry * number + end


_MEGABYTE: Final = b"\0" * 2**20
_ARCHIVES: Final[dict[str, Make]] = {
    f"zip-{name}": partial(_write, name="work.zip", content=content)
    for name, content in {
        "climbs": _zip_of({"../../climbed.md": b"x", "/etc/climbed.md": b"x", "..\\climbed.md": b"x"}),
        "link": _zip_of({"report.md": b"/etc/passwd"}, external_attr=0o120777 << 16),
        "device": _zip_of({"report.md": b""}, external_attr=0o020666 << 16),
        "pipe": _zip_of({"report.md": b""}, external_attr=0o010666 << 16),
        "bomb": lambda: _zip_of({f"{number}.md": _MEGABYTE * 100 for number in range(3)}),
        "nested": _nested(6),
        "many": lambda: _zip_of({f"{number}.md": b"x" for number in range(5_200)}),
        "listing": _listing(300_000),
        "cut": _zip_of({"report.md": b"x" * 10_000})[:-40],
        "flipped": _zip_of({"report.md": b"# Question 1\n" * 1_000}).replace(b"\x0b", b"\x0c"),
        "empty": b"PK\x05\x06" + b"\0" * 18,
        "rar": b"Rar!\x1a\x07\0",
        "none": b"PK\x03\x04" + b"\xff" * 1_000,
    }.items()
}


def _many_files(folder: Path) -> None:
    for number in range(5_200):
        (folder / f"{number}.md").write_text(f"# Question {number}\n\ntext\n")


def _deep(folder: Path) -> None:
    place = folder
    for _ in range(60):
        place = place / "d"
    _write(place, "report.md", "# Question 1")


def _links(folder: Path) -> None:
    for name, target in {"report.md": "/etc/passwd", "logs": "/", "self": "."}.items():
        (folder / name).symlink_to(target)


def _pipes(folder: Path) -> None:
    for name in ("report.md", "train.log"):
        os.mkfifo(folder / name)


def _bomb_docx(folder: Path) -> None:
    with (
        zipfile.ZipFile(folder / "report.docx", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(1_600):
            part.write(b" " * 10**6)


_PICKLE: Final = b"\x80\x04\x95\x1f\0\0\0\0\0\0\0\x8c\x05posix\x8c\x06system\x93\x8c\x06reboot\x85R."
_LAUGHS: Final = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
_DOUBLED: Final = (
    "".join("\\newcommand{\\" + chr(98 + n) + "}{" + ("\\" + chr(97 + n)) * 10 + "}" for n in range(20))
    + "\\begin{document}\\u\\end{document}"
)
_SPANNED: Final = "<tr><td rowspan=60000 colspan=1000>a</td></tr>"
_REPEATED: Final = (
    b'<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    b'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><table:table>'
    b'<table:table-row table:number-rows-repeated="999999999"><table:table-cell '
    b'table:number-columns-repeated="999999999"/></table:table-row></table:table></office:document-content>'
)
_EVENT: Final = b"\x09\0\0\0\0\0\0\xf0\x3f\x10\x01"
_OTHERS: Final[dict[str, Make]] = {
    "sparse-report": partial(_sparse, name="report.md", size=100 * 2**30),
    "sparse-pdf": partial(_sparse, name="report.pdf", size=100 * 2**30, head=b"%PDF-1.7"),
    "sparse-zip": partial(_sparse, name="work.zip", size=100 * 2**30, head=b"PK\x03\x04"),
    "sparse-allowed": partial(_sparse, name="report.txt", size=199 * 2**20),
    "sparse-log": partial(_sparse, name="train.log", size=199 * 2**20, head=b"epoch 1 | loss 1\n"),
    "sparse-notebook": partial(_sparse, name="lab.ipynb", size=199 * 2**20, head=b'{"nbformat": 4'),
    "many-files": _many_files,
    "deep-folders": _deep,
    "links": _links,
    "pipes": _pipes,
    "nothing": lambda folder: None,
    "docx-bomb": _bomb_docx,
    **{
        name: partial(_write, name=file, content=content)
        for name, (file, content) in {
            "digits-md": ("report.md", "1234567890" * 2_000_000),
            "digits-txt": ("report.txt", "1234567890" * 2_000_000),
            "digits-log": ("train.log", "1234567890" * 2_000_000),
            "digits-spaced": ("report.md", "1234567890 " * 1_800_000),
            "digits-json": ("trainer_state.json", '{"log_history": [' + "1234567890" * 2_000_000),
            "long-lines": ("report.txt", ("x" * 100_000 + "\n") * 100),
            "many-lines": ("report.md", "a\n\n" * 1_000_000),
            "deep-html": ("report.html", "<div>" * 200_000),
            "deep-table": ("report.html", "<table><tr><td>" * 50_000),
            "spanned": ("report.html", "<table>" + _SPANNED * 1_000 + "</table>"),
            "laughs-docx": ("report.docx", zipped([("word/document.xml", f"{_LAUGHS}]><a>&j;</a>".encode())])),
            "laughs-odt": ("report.odt", zipped([("content.xml", f"{_LAUGHS}]><a>&j;</a>".encode())])),
            "outside-docx": ("report.docx", zipped([("word/document.xml",
                             b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>')])),
            "repeated-odt": ("report.odt", zipped([("content.xml", _REPEATED)])),
            "docx-no-zip": ("report.docx", b"PK\x03\x04 nothing"),
            "deep-json": ("lab.ipynb", '{"nbformat": 4, "cells": ' + "[" * 200_000),
            "deep-notebook": ("lab.ipynb", '{"nbformat": 4, "cells": [' + '{"a":' * 50_000),
            "many-cells": ("lab.ipynb", notebook(*({"cell_type": "code", "source": "x"} for _ in range(100_000)))),
            "huge-integer": ("trainer_state.json", '{"log_history": [{"step": %s}]}' % ("9" * 10**6)),
            "huge-power": ("report.md", "# Question 1\n\n$9^{9^{9^{9^{9}}}} = 1$ and 9**9**9**9 = 1\n" * 1_000),
            "macros": ("report.tex", "\\documentclass{article}\\def\\a{\\a\\a}\\begin{document}\\a\\end{document}"),
            "macros-double": ("report.tex", _DOUBLED),
            "include-loop": ("report.tex", "\\documentclass{article}\\begin{document}\\input{report}\\end{document}"),
            "include-outside": ("report.tex", "\\begin{document}\\input{/etc/passwd}\\end{document}"),
            "deep-code": ("train.py", "x = " + "(" * 50_000 + ")" * 50_000),
            "deep-operators": ("train.py", "x = " + "-" * 100_000 + "1"),
            "long-chain": ("train.py", "x = 1" + " + 1" * 100_000),
            "code-runs": ("train.py", "import os; os.system('reboot'); 2 ** 10 ** 10"),
            "pickle": ("pytorch_model.bin", _PICKLE),
            "pickle-named": ("report.pdf", _PICKLE),
            "safetensors-header": ("adapter_model.safetensors", struct.pack("<Q", 2**63) + b"{"),
            "safetensors-offsets": ("adapter_model.safetensors", struct.pack("<Q", 60) + json.dumps(
                                    {"a": {"dtype": "F32", "shape": [2**60], "data_offsets": [0, 8]}}).encode()),
            "safetensors-many": ("adapter_model.safetensors", struct.pack("<Q", 2**20) + b'{"a":' * (2**20 // 5)),
            "adapter": ("adapter_config.json", '{"peft_type": "LORA", "r": 1e999, "target_modules": [["a"]]}'),
            "events-length": ("events.out.tfevents.1.h.1.0", struct.pack("<Q", 2**62) + b"\0" * 100),
            "events-many": ("events.out.tfevents.1.h.1.0", record(_EVENT) * 200_000),
            "events-text": ("events.out.tfevents.1.h.1.0", b"not an event file" * 10_000),
            "yaml": ("config.yaml", "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*a,*a]\n" for n in range(5_000))),
            "yaml-python": ("config.yaml", "!!python/object/apply:os.system ['reboot']"),
            "template": ("report.md", "# Question 1\n\n{{ config.__class__ }} {% for x in range(10**9) %}{% endfor %}"),
            "formula": ("report.md", "# Question 1\n\n=cmd|' /C calc'!A0"),
            "markup": ("report.md", "<script>fetch('//x')</script><img src=x onerror=alert(1)>"),
            "surrogates": ("report.md", b"\xed\xa0\x80" * 10_000),
            "utf16": ("report.md", b"\xff\xfe" + b"a\0" * 100_000 + b"\0\xd8" * 1_000),
            "combining": ("report.md", "a" + "\u0301" * 200_000),
            "directions": ("report.md", "\u202e\u2066" * 50_000),
            "escapes": ("train.log", "\x1b]0;owned\x07\x1b[2J" * 20_000),
            "returns": ("train.log", "loss 0.1\r" * 100_000),
            "rtf": ("report.rtf", "{\\rtf1" + "{" * 100_000),
            "ole": ("report.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 4_096),
        }.items()
    },
}  # fmt: skip


if __name__ == "__main__":
    print(len(write_class(Path(sys.argv[1]))))
