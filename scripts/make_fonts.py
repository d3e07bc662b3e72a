"""Cut fonts to what the reports need: `python -m scripts.make_fonts NotoEmoji-Regular.ttf`.

It takes Noto Emoji as Google Fonts ships it, and mends the Inter that lies in `templates/fonts`. Needs fontTools.
"""

import sys
from pathlib import Path

from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "templates" / "fonts"


def narrow_missing(path: Path) -> None:
    """Draw what stands for a missing character half as wide as a line is high: text is laid out with about that width,
    and wider boxes would be drawn over each other."""
    font = TTFont(path, recalcTimestamp=False)
    em = font["head"].unitsPerEm
    width, height, stroke = em * 54 // 100, em * 72 // 100, em // 24
    pen = T2CharStringPen(width, None)
    for inset in (0, stroke):
        corners = [(em // 20 + inset, inset), (width - em // 20 - inset, inset)]
        corners += [(x, height - inset) for x, _ in reversed(corners)]
        pen.moveTo(corners[0])
        for corner in corners[1:] if not inset else reversed(corners[1:]):
            pen.lineTo(corner)
        pen.closePath()
    top = font["CFF "].cff.topDictIndex[0]
    old = top.CharStrings[".notdef"]
    top.CharStrings[".notdef"] = pen.getCharString(private=old.private, globalSubrs=old.globalSubrs)
    font["hmtx"][".notdef"] = (width, em // 20)
    font.save(path)


def single_emoji(source: Path) -> None:
    """Noto Emoji without the signs for sequences of emoji, which are most of it: a sequence is shown sign by sign."""
    font = TTFont(source, recalcTimestamp=False)
    options = Options(layout_features=[], hinting=False, drop_tables=["GSUB", "STAT", "vhea", "vmtx", "gasp"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for code in font.getBestCmap() if code > 0xFF])
    subsetter.subset(font)
    font.save(FONTS / "NotoEmoji-Regular.ttf")


if __name__ == "__main__":
    for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        narrow_missing(FONTS / name)
    single_emoji(Path(sys.argv[1]))
