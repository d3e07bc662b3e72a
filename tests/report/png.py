"""A small picture."""

import io

from PIL import Image


def png(colour: str = "white") -> bytes:
    """A PNG of 200 by 40 pixels."""
    written = io.BytesIO()
    Image.new("RGB", (200, 40), colour).save(written, "PNG")
    return written.getvalue()
