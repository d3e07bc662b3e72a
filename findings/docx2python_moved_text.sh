#!/bin/sh
# docx2python returns a passage that was moved under Word's tracked changes twice: where it was and where it is.
#
# Versions: docx2python 3.7.1, mammoth 1.13.0, pypandoc_binary 1.17 (pandoc 3.9), python-docx 1.2.0.
# Deleted text (w:del) is left out, so one might guess that the old place of a moved text (w:moveFrom) is left out, too, as
# pandoc and mammoth do. A figure that a student moved to another paragraph then counts twice:
#
#     docx2python     'Alpha 79.3 \n\nBeta 79.3'
#     pandoc          'Alpha\n\nBeta 79.3'
#     mammoth         'Alpha \n\nBeta 79.3'
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
    docx2python==3.7.1 mammoth==1.13.0 pypandoc_binary==1.17 python-docx==1.2.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import docx, mammoth, pypandoc
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx2python import docx2python


def tracked(paragraph, change, kind, text):
    mark, run, words = OxmlElement(change), OxmlElement("w:r"), OxmlElement(kind)
    mark.set(qn("w:id"), "1")
    mark.set(qn("w:author"), "somebody")
    words.text = text
    run.append(words)
    mark.append(run)
    paragraph._p.append(mark)


word = docx.Document()
first, second = word.add_paragraph("Alpha "), word.add_paragraph("Beta ")
tracked(first, "w:del", "w:delText", "65.4 ")
tracked(first, "w:moveFrom", "w:t", "79.3 ")
tracked(second, "w:moveTo", "w:t", "79.3")
word.save("a.docx")

found = docx2python("a.docx").text
pandoc = pypandoc.convert_file("a.docx", "plain")
with open("a.docx", "rb") as file:
    other = mammoth.extract_raw_text(file).value
print("docx2python", repr(found), "pandoc", repr(pandoc), "mammoth", repr(other), sep="\n")
assert (found.count("79.3"), found.count("65.4")) == (2, 0)
assert pandoc.count("79.3") == other.count("79.3") == 1
PYTHON
