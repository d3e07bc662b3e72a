#!/bin/sh
# odfpy's str() of a paragraph drops the elements that stand for blanks, tabs and line breaks, so that numbers run together.
#
# Version: odfpy 1.4.1.
# OpenDocument writes a tab, a line break and every blank after the first as an element (text:tab, text:line-break,
# text:s). One might guess that str() of a paragraph gives its text; it joins what stands beside these elements, and only
# odf.teletype.extractText puts the white space back:
#
#     str(paragraph)            '79.378.580.1'
#     teletype.extractText      '79.3\t78.5\n80.1'
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check odfpy==1.4.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
from odf import teletype
from odf.opendocument import OpenDocumentText, load
from odf.text import LineBreak, P, Tab

document = OpenDocumentText()
paragraph = P(text="79.3")
paragraph.addElement(Tab())
paragraph.addText("78.5")
paragraph.addElement(LineBreak())
paragraph.addText("80.1")
document.text.addElement(paragraph)
document.save("a.odt")

(read,) = load("a.odt").getElementsByType(P)
print(repr(str(read)), repr(teletype.extractText(read)))
assert str(read) == "79.378.580.1"
assert teletype.extractText(read) == "79.3\t78.5\n80.1"
PYTHON
