#!/bin/sh
# Text that Word, OpenDocument and RTF hide is dropped by pandoc from RTF alone; from Word and OpenDocument it comes out
# as ordinary text, as it does from mammoth and MarkItDown.
#
# Versions: pypandoc_binary 1.17 (pandoc 3.9), mammoth 1.13.0, markitdown 0.1.9, python-docx 1.2.0, odfpy 1.4.1.
# One might guess that a converter treats hidden text alike in all formats, or leaves it out as a printer does. The same
# sentence, "Total: (hidden: 42) shown.", was made with w:vanish, text:display="none" and \v:
#
#     pandoc from .docx        Total: 42 shown.
#     pandoc from .odt         Total: 42 shown.
#     pandoc from .rtf         Total: shown.
#     mammoth, MarkItDown      Total: 42 shown.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    pypandoc_binary==1.17 mammoth==1.13.0 'markitdown[docx]==0.1.9' python-docx==1.2.0 odfpy==1.4.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import docx, mammoth, pypandoc
from markitdown import MarkItDown
from odf.opendocument import OpenDocumentText
from odf.style import Style, TextProperties
from odf.text import P, Span

word = docx.Document()
paragraph = word.add_paragraph("Total: ")
paragraph.add_run("42 ").font.hidden = True
paragraph.add_run("shown.")
word.save("a.docx")

open_document = OpenDocumentText()
hidden = Style(name="Hidden", family="text")
hidden.addElement(TextProperties(display="none"))
open_document.automaticstyles.addElement(hidden)
paragraph = P(text="Total: ")
paragraph.addElement(Span(stylename=hidden, text="42 "))
paragraph.addText("shown.")
open_document.text.addElement(paragraph)
open_document.save("a.odt")

with open("a.rtf", "w") as file:
    file.write(r"{\rtf1\ansi Total: {\v 42 }shown.\par}")

found = {f"pandoc {name}": pypandoc.convert_file(name, "plain").strip() for name in ("a.docx", "a.odt", "a.rtf")}
with open("a.docx", "rb") as file:
    found["mammoth"] = mammoth.extract_raw_text(file).value.strip()
found["markitdown"] = MarkItDown().convert("a.docx").text_content.strip()
for name, text in found.items():
    print(f"{name:15} {text}")
assert found.pop("pandoc a.rtf") == "Total: shown."
assert set(found.values()) == {"Total: 42 shown."}
PYTHON
