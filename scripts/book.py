#!/usr/bin/env python3
"""Executes the commands of the book's pages, and compares what they print with what the pages show.

    scripts/book.py PAGE...            checks pages; by default README.md, the quick start and the tutorials
    scripts/book.py --all              also executes the commands of the other pages, without comparing
    scripts/book.py --update PAGE...   writes what was printed, and the pictures that were drawn, into the pages

`sh` and `python` blocks of a page run one after the other in a folder of the page's own, in which `scenarios` is that
of the project. A `text` block right behind one is what it prints. A `toml` block that begins with `name = "mine"` is the
file mine.toml. Lines that build or install something (`make`, `cargo`, `pip`, …) are left out. Comments say more:

    <!-- file: NAME -->         the next block is written to this file
    <!-- run: COMMAND -->       is executed as well, and not shown
    <!-- not run: REASON -->    the next block is not executed
    <!-- head: N -->            before a `text` block: only the first N lines are shown
    <!-- picture: FILE -->      before a picture: the file that the commands have drawn of it

The command is that of `JETTISON`, or target/release/jettison, or target/debug/jettison, or of the path.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUICK_START = "docs/src/quick-start.md"
#: Pages whose output is compared.
COMPARED = ["README.md", QUICK_START, "docs/src/tutorials/*.md"]
#: Lines that tell times or places of this machine.
VARIES = re.compile(r"(?i)\b(estimated|CPU|core|memory|MB|GB|took|elapsed)\b")
DIRECTIVE = re.compile(r"<!-- (file|run|not run|head|picture): (.*?) -->\s*$")
SCENARIO = re.compile(r'name = "([\w.-]+)"')
BUILDS = re.compile(r"\s*(make|cargo|pip|sudo|apt-get|podman|docker|dpkg)\b")
PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")


@dataclass
class Block:
    """A fenced block of a page, or a picture."""

    language: str
    line: int
    body: list[str] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n".join(self.body) + "\n" if self.body else ""


class Failure(Exception):
    """A command that failed, or that printed something else."""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page in order; `line` is that of the first line of the body, from 0."""
    before: dict[str, str] = {}
    block: Block | None = None
    fence = ""
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if block:
            if bare == fence:
                yield block
                block = None
            else:
                block.body.append(line)
        elif found := re.match(r"^(`{3,})(\w*)", bare):
            fence, block, before = found[1], Block(found[2], number + 1, before=before), {}
        elif found := DIRECTIVE.match(bare):
            if found[1] == "run":
                yield Block("run", number, [found[2]])
            else:
                before[found[1]] = found[2]
        elif "picture" in before and (found := PICTURE.search(line)):
            yield Block("picture", number, [found[1]], before)
            before = {}
        elif bare:
            # A sentence between a command and its output separates them.
            before = {}
            yield Block("prose", number)


class Session:
    """The folder, the environment and the Python names of one page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        if str(ROOT / "python") not in sys.path:
            sys.path.insert(0, str(ROOT / "python"))
        bin_folder = folder / ".bin"
        bin_folder.mkdir()
        released = folder / "target/release"
        released.mkdir(parents=True)
        for script, target in (
            (bin_folder / "jettison", command()),
            (released / "jettison", command()),
            (bin_folder / "python", Path(sys.executable)),
        ):
            script.write_text(f'#!/bin/sh\nexec "{target}" "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        (folder / "scenarios").symlink_to(ROOT / "scenarios")
        self.environment = {
            **os.environ,
            "PATH": f"{bin_folder}:{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT / 'python'}:{os.environ.get('PYTHONPATH', '')}".rstrip(":"),
            "JETTISON_PYTHON": sys.executable,
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "MPLBACKEND": "Agg",
            "LC_ALL": "C.UTF-8",
        }

    def shell(self, text: str) -> str:
        """Runs a block of shell commands; what they print on standard output."""
        lines = [line for line in text.split("\n") if not BUILDS.match(line)]
        script = "set -euo pipefail\n" + "\n".join(lines)
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise Failure(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def python(self, text: str) -> str:
        """Runs a block of Python as a notebook's cell does: a last expression is printed."""
        module = ast.parse(text)
        last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
        printed, here, before = io.StringIO(), Path.cwd(), dict(os.environ)
        os.environ.update(self.environment)
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(module, "<page>", "exec"), self.names)
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), "<page>", "eval"), self.names)
                    if value is not None:
                        print(value)
        except Exception:
            raise Failure(traceback.format_exc()) from None
        finally:
            # What follows in this process must not inherit the page's settings, such as its plotting backend.
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)
        return printed.getvalue()


def command() -> Path:
    """The `jettison` command."""
    named = os.environ.get("JETTISON")
    candidates = [Path(named)] if named else [ROOT / "target/release/jettison", ROOT / "target/debug/jettison"]
    for each in candidates:
        if each.is_file():
            return each.resolve()
    if found := shutil.which("jettison"):
        return Path(found).resolve()
    raise SystemExit("book.py: no jettison command; `cargo build --release` builds it, JETTISON names it")


def shown(printed: str, folder: Path, block: Block) -> list[str]:
    """What a page shows of what was printed."""
    lines = [line.rstrip() for line in printed.replace(f"{folder}/", "").rstrip("\n").split("\n")]
    if "head" in block.before and len(lines) > int(block.before["head"]):
        lines = [*lines[: int(block.before["head"])], "…"]
    return lines


def alike(one: list[str], other: list[str]) -> bool:
    """Whether two outputs are the same, but for times and sizes of this machine."""

    def steady(lines: list[str]) -> list[str]:
        return [re.sub(r"[\d.,]+", "#", line) if VARIES.search(line) else line for line in lines]

    return steady(one) == steady(other)


def run_page(page: Path, compare: bool = True, update: bool = False) -> list[str]:
    """Runs a page's blocks; the problems found. With `update`, the page and its pictures are written."""
    text = page.read_text(encoding="utf-8")
    lines = text.split("\n")
    problems: list[str] = []
    changes: list[tuple[int, int, list[str]]] = []
    with tempfile.TemporaryDirectory(prefix="jettison-book-") as made:
        folder = Path(made).resolve()
        session = Session(folder)
        # Pages speak of the quick start's scenario.
        for block in blocks((ROOT / QUICK_START).read_text(encoding="utf-8")) if (ROOT / QUICK_START).exists() else ():
            if block.language == "toml":
                (folder / "mine.toml").write_text(block.text, encoding="utf-8")
        printed: str | None = None
        for block in blocks(text):
            place = f"{page.relative_to(ROOT)}:{block.line + 1}"
            try:
                if "file" in block.before:
                    target = folder / block.before["file"]
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(block.text, encoding="utf-8")
                elif block.language == "toml" and (found := SCENARIO.match(block.text)):
                    (folder / f"{found[1]}.toml").write_text(block.text, encoding="utf-8")
                elif "not run" in block.before:
                    printed = None
                elif block.language in ("sh", "run"):
                    result = session.shell(block.text)
                    printed = result if block.language == "sh" else printed
                elif block.language == "python":
                    printed = session.python(block.text)
                elif block.language == "text" and printed is not None and compare:
                    wanted = shown(printed, folder, block)
                    if not alike(block.body, wanted):
                        difference = "\n".join(difflib.unified_diff(block.body, wanted, "page", "printed", lineterm=""))
                        problems.append(f"{place}: the page shows another output\n{difference}")
                        changes.append((block.line, block.line + len(block.body), wanted))
                    printed = None
                elif block.language == "picture":
                    drawn, kept = folder / block.before["picture"], page.parent / block.body[0]
                    if not drawn.is_file():
                        raise Failure(f"no command has drawn {block.before['picture']}")
                    if update:
                        kept.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(drawn, kept)
                    elif not kept.is_file():
                        raise Failure(f"{kept} is not there")
                elif block.language == "prose":
                    printed = None
            except Failure as failure:
                problems.append(f"{place}: {failure}")
                return problems
        if update and changes:
            for start, end, body in reversed(changes):
                lines[start:end] = body
            page.write_text("\n".join(lines), encoding="utf-8")
            problems = []
    return problems


def pages(every: bool) -> list[Path]:
    """README, quick start and tutorials; with `every` also the other pages outside of the appendix."""
    found = [path for pattern in COMPARED for path in sorted(ROOT.glob(pattern))]
    if every:
        rest = sorted((ROOT / "docs/src").rglob("*.md"))
        found += [p for p in rest if not {"appendix", "api"} & set(p.parts) and p.name != "SUMMARY.md" and p not in found]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Executes the commands of the book's pages.")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--all", action="store_true", help="also the pages whose output is not compared")
    parser.add_argument("--update", action="store_true", help="write outputs and pictures into the pages")
    given = parser.parse_args()
    compared, failed = pages(False), 0
    for page in [Path(name).resolve() for name in given.pages] or pages(given.all):
        start = time.monotonic()
        problems = run_page(page, page in compared or bool(given.pages), given.update)
        failed += bool(problems)
        state = "FAILED" if problems else "ok"
        print(
            f"{state:6} {page.relative_to(ROOT)} ({time.monotonic() - start:.1f} s)", *problems, sep="\n  ", flush=True
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
