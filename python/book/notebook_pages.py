"""Executes the notebooks, keeps their outputs in them, and renders them as pages of the book in docs/src/notebooks/.

    python python/book/notebook_pages.py [--render] [NAME...]

With `--render` it renders the outputs that are there. It needs the extra `notebooks` of the package.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from PIL import Image

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "python" / "notebooks"
PAGES = ROOT / "docs" / "src" / "notebooks"
#: Largest size of a picture, in bytes, and its number of colours.
LARGEST, COLOURS = 100_000, 128


def read(path: Path) -> Any:
    """A notebook."""
    return nbformat.read(path, as_version=4)  # pyright: ignore[reportUnknownMemberType]


def executed(book: Any) -> Any:
    """The notebook with the outputs of its cells, without what differs from one execution to the next."""
    with tempfile.TemporaryDirectory() as folder:
        where = {"metadata": {"path": folder}}
        nbclient.NotebookClient(
            book, timeout=3600, startup_timeout=600, kernel_name="python3", resources=where
        ).execute()
    book.metadata.pop("widgets", None)
    for cell in book.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [made for output in cell.outputs if (made := _kept(output)) is not None]
    return book


def _kept(output: Any) -> Any:
    """An output as it is stored: pictures smaller; nothing of axes, whose picture follows; no messages."""
    if output.output_type == "stream" and output.name == "stderr":
        return None
    data: dict[str, Any] = output.get("data", {})
    if re.match(r"(\[?<Axes|<Figure|Text\()", data.get("text/plain", "")) and "image/png" not in data:
        return None
    if "image/png" in data:
        output.data = {"image/png": _smaller(data["image/png"])}
    if "metadata" in output:
        output.metadata = {}
    return output


def _smaller(png: str) -> str:
    """The picture with a palette of few colours: a plot has no more."""
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        made = io.BytesIO()
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return base64.b64encode(made.getvalue()).decode()


def rendered(book: Any, name: str) -> tuple[str, dict[str, bytes]]:
    """The notebook as a page of the book, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in book.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            if len(parts) == 1:
                parts.append(
                    f"*This page is the notebook `python/notebooks/{name}.ipynb`, executed by `make notebooks`.*"
                )
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                file = f"{name}-{len(pictures) + 1}.png"
                pictures[file] = base64.b64decode(data["image/png"])
                parts.append(f"![{_alt(cell.source)}]({file})")
            elif "text/html" in data:
                # A blank line would end the HTML.
                parts.append(re.sub(r"\n\s*\n", "\n", data["text/html"]))
            elif text := data.get("text/plain", output.get("text", "")):
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n", pictures


def _alt(source: str) -> str:
    """Words for a picture: the call that drew it."""
    line = source.strip().split("\n")[-1].rstrip(";").strip()
    return re.sub(r"[\[\]`]", "", line)


def write(book: Any, name: str) -> None:
    """Writes a notebook's page and pictures."""
    page, pictures = rendered(book, name)
    if large := [file for file, data in pictures.items() if len(data) > LARGEST]:
        raise SystemExit(f"{name}: pictures must have at most {LARGEST:,} bytes: {', '.join(large)}")
    PAGES.mkdir(parents=True, exist_ok=True)
    for old in PAGES.glob(f"{name}-*.png"):
        if old.name not in pictures:
            old.unlink()
    for file, data in pictures.items():
        (PAGES / file).write_bytes(data)
    (PAGES / f"{name}.md").write_text(page, encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Executes and renders the notebooks named, by default all."""
    names = [each for each in arguments if each != "--render"]
    for name in names or sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")):
        path = NOTEBOOKS / f"{name}.ipynb"
        book = read(path)
        if "--render" not in arguments:
            print(f"executing {name}", file=sys.stderr)
            book = executed(book)
            nbformat.write(book, path)  # pyright: ignore[reportUnknownMemberType]
        write(book, name)


if __name__ == "__main__":
    main(sys.argv[1:])
