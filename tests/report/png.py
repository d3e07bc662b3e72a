"""A small picture."""

import io

from PIL import Image


def png(colour: str = "white", height: int = 40) -> bytes:
    """A PNG of 200 pixels' width."""
    written = io.BytesIO()
    Image.new("RGB", (200, height), colour).save(written, "PNG")
    return written.getvalue()
