"""Awkward but harmless files beside a good hand-in, as machines, editors and students leave them there.

Each maker adds something to the folder of a hand-in. None of it answers a question, so that the hand-in's verdicts are
those without it, but for the items that a file which cannot be read could have answered.
"""

import json
import struct
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

ENCRYPTED_PDF: Final = b"""%%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
4 0 obj<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -44>>endobj
trailer<</Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]>>
%%%%EOF
""" % (b"11" * 32, b"22" * 32)
PNG: Final = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + b"\x00" * 40
NOTEBOOK: Final = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]})


class Awkward(NamedTuple):
    """What is added, and the beginnings of the items whose answer may lie in it; none where it can hold none."""

    make: Callable[[Path], object]
    may_hold: str = ""


def _file(name: str, content: bytes | str) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())

    return make


def _zip(**files: bytes) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return packed.getvalue()


def _locked_zip() -> bytes:
    """An archive whose entries say that they are encrypted."""
    data = bytearray(_zip(notes__txt=b"x" * 50))
    for signature, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(signature)
        struct.pack_into("<H", data, at + flag, 1)
    return bytes(data)


CODE: Final = "t1 t2 t6 t7 t8 t3 t4 t5 q1.derivation q2.values"
LOGGED: Final = "t3 t4 t5"
PRINTED: Final = f"{LOGGED} t1 t2 t7 t8"
WRITTEN: Final = "q1 q2 t1 t3 t4 t5 t6 t7 t8"
AWKWARD: Final[dict[str, Awkward]] = {
    # what machines and editors leave
    "lock of a word processor": Awkward(_file("~$report.docx", b"\x05Ann" + b"\0" * 158)),
    "empty lock": Awkward(_file("~$report.docx", b"")),
    "lock of LibreOffice": Awkward(_file(".~lock.report.odt#", ",ann,host,01.01.2026 10:00,file:///home;")),
    "temporary copy of Word": Awkward(_file("~WRL0001.tmp", b"\xd0\xcf\x11\xe0" + b"\0" * 60)),
    "temporary docx of Word": Awkward(_file("~WRL0005.docx", b"\0" * 60)),
    "DS_Store": Awkward(_file(".DS_Store", b"\0\0\0\1Bud1" + b"\0" * 60)),
    "AppleDouble": Awkward(_file("._report.pdf", b"\0\5\x16\7" + b"\0" * 80)),
    "AppleDouble of a notebook": Awkward(_file("code/._lab4_bloom.ipynb", b"\0\5\x16\7" + b"\0" * 80)),
    "folder of macOS": Awkward(_file("__MACOSX/._report.pdf", b"\0\5\x16\7" + b"\0" * 80)),
    "Thumbs.db": Awkward(_file("Thumbs.db", b"\xd0\xcf\x11\xe0" + b"\0" * 60)),
    "desktop.ini": Awkward(_file("desktop.ini", "[.ShellClassInfo]\r\n")),
    "swap file of vim": Awkward(_file(".report.md.swp", b"b0VIM 8.2" + b"\0" * 60)),
    "backup of Emacs": Awkward(_file("#report.md#", b"")),
    "checkpoint of Jupyter": Awkward(_file("code/.ipynb_checkpoints/x-checkpoint.ipynb", NOTEBOOK[:40])),
    "LaTeX's own files": Awkward(_file("report.aux", "\\relax \n")),
    "a synctex": Awkward(_file("report.synctex.gz", b"\x1f\x8b\x08" + b"\0" * 20)),
    "compiled Python": Awkward(_file("code/__pycache__/a.cpython-311.pyc", b"\xa7\r\r\n" + b"\0" * 40)),
    "a git folder": Awkward(_file(".git/index", b"DIRC" + b"\0" * 40)),
    "a download that broke off": Awkward(_file("lecture.pdf.crdownload", b"%PDF-1.5" + b"\0" * 40), WRITTEN),
    "a partial download": Awkward(_file("model.pt.part", b"\x80\2" + b"\0" * 40)),
    # pictures, data, weights
    "a damaged png": Awkward(_file("figures/curve.png", PNG)),
    "an empty png": Awkward(_file("figures/curve.png", b"")),
    "a text called jpg": Awkward(_file("photo.jpg", "<html>404</html>")),
    "a photo of an iPhone": Awkward(_file("IMG_0001.HEIC", b"\0\0\0\x18ftypheic" + b"\0" * 60)),
    "a damaged svg": Awkward(_file("figures/plot.svg", "<svg")),
    "a broken csv": Awkward(_file("data/train.csv", b"\xff\xfe\x00a,b\n\x00" * 20)),
    "a large csv": Awkward(_file("data/all.csv", "text,label\n" + "un livre,1\n" * 200_000)),
    "broken JSON": Awkward(_file("data/train.json", '{"text": "un')),
    "a pickle": Awkward(_file("cache/tokens.pkl", b"\x80\4\x95" + b"\0" * 60)),
    "broken weights": Awkward(_file("checkpoints/model.safetensors", b"\xff" * 90)),
    "an empty checkpoint": Awkward(_file("checkpoints/checkpoint_best.pt", b"")),
    "a packed csv": Awkward(_file("data/all.csv.gz", b"\x1f\x8b\x08" + b"\0" * 60)),
    "a dictionary": Awkward(_file("data/dict.txt", "le 100\nla 90\n" * 50)),
    "a tar of data": Awkward(_file("data/cls-books.tar.gz", b"\x1f\x8b\x08" + b"\0" * 60), CODE),
    "a broken zip of data": Awkward(_file("data/cls-books.zip", b"PK\3\4" + b"\0" * 60), CODE),
    "a rar of data": Awkward(_file("data/books.rar", b"Rar!\x1a\7\0" + b"\0" * 60), CODE),
    "a video": Awkward(_file("demo.mp4", b"\0\0\0\x18ftypmp42" + b"\0" * 60)),
    "fonts": Awkward(_file("fonts/a.ttf", b"\0\1\0\0" + b"\0" * 60)),
    "a broken link": Awkward(lambda folder: (folder / "data").symlink_to("/nowhere/at/all"), CODE),
    "a broken link to a picture": Awkward(lambda folder: (folder / "a.png").symlink_to("/nowhere/a.png")),
    "an empty folder": Awkward(lambda folder: (folder / "figures").mkdir()),
    "a socket's name": Awkward(_file("code/.X11-unix", b"")),
    # what could hold an answer
    "locked slides": Awkward(_file("slides/lecture4.pdf", ENCRYPTED_PDF), WRITTEN),
    "a broken paper": Awkward(_file("papers/lora.pdf", b"%PDF-1.5\n" + b"\0" * 60), WRITTEN),
    "empty slides": Awkward(_file("slides.pptx", b"PK\3\4" + b"\0" * 60)),
    "a broken spreadsheet": Awkward(_file("results.xlsx", b"PK\3\4" + b"\0" * 60)),
    "a locked zip": Awkward(_file("old.zip", _locked_zip()), WRITTEN),
    "a broken zip": Awkward(_file("backup.zip", b"PK\3\4" + b"\0" * 60), CODE),
    "a notebook of another lab, cut": Awkward(_file("lab3/lab3.ipynb", NOTEBOOK[:60]), CODE),
    "an empty notebook": Awkward(_file("code/Untitled.ipynb", b""), CODE),
    "a cut event file": Awkward(_file("runs/events.out.tfevents.1700000000.host.1.0", b"\x18\0\0"), LOGGED),
    "an empty event file": Awkward(_file("runs/events.out.tfevents.1700000000.host.1.0", b""), LOGGED),
    "an empty log": Awkward(_file("train.log", b""), PRINTED),
    "broken settings of a run": Awkward(_file("runs/trainer_state.json", '{"log_history": ['), LOGGED),
}
