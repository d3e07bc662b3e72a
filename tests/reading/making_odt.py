"""OpenDocument texts written by hand: parts of XML in a zip archive."""

from tests.reading.making_docx import zipped

PREFIXES = ("office", "text", "table", "style", "drawing")
NAMESPACES = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in PREFIXES)
NAMESPACES += ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
NAMESPACES += ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
NAMESPACES += ' xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
NAMESPACES += ' xmlns:xlink="http://www.w3.org/1999/xlink"'
LOOKS = {"T1": 'style:text-position="super 58%"', "T2": 'style:text-position="sub 58%"', "P2": 'fo:font-weight="bold"'}
STYLES = "".join(
    f'<style:style style:name="{name}"><style:text-properties {look}/></style:style>' for name, look in LOOKS.items()
)
STYLES += (
    '<style:style style:name="P1" style:parent-style-name="Heading_20_2"/><text:list-style style:name="L1">'
    '<text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>'
)
MATH = (
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><msup><mn>512</mn><mn>2</mn></msup></mrow>'
    '<annotation encoding="StarMath 5.0">512^2</annotation></semantics></math>'
)


MIMETYPE = "application/vnd.oasis.opendocument.text"
MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MIMETYPE}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)


def odt(body: str, *, styles: str = "", whole: str = "") -> bytes:
    """A document with a body, further styles, and the inside of `styles.xml` (`whole`)."""
    content = (
        f"<office:document-content {NAMESPACES}><office:automatic-styles>{STYLES}{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    parts = {"mimetype": MIMETYPE, "content.xml": content, "Object 1/content.xml": MATH}
    if whole:
        parts["styles.xml"] = f"<office:document-styles {NAMESPACES}>{whole}</office:document-styles>"
        parts["META-INF/manifest.xml"] = MANIFEST
    return zipped({name: inner.encode() for name, inner in parts.items()})
