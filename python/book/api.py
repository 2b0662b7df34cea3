"""Writes the reference of the package `jettison` from its docstrings and signatures: pages of the book in docs/src/api/.

    python python/book/api.py [--check]

With `--check` it writes nothing, and fails if a page is not current.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "src" / "api"
#: The pages in their order: file, title, and the modules whose public names they have.
CONTENTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("scenarios.md", "Scenarios and runs", ("jettison.scenario", "jettison.running")),
    (
        "results.md",
        "Results and tables",
        ("jettison.result", "jettison.table", "jettison.explaining", "jettison.whatif"),
    ),
    ("sweeps.md", "Sweeps and searches", ("jettison.sweeps", "jettison.tuning")),
    (
        "components.md",
        "Components in Python",
        ("jettison.catalogue", "jettison.queues", "jettison.controllers", "jettison.p4"),
    ),
    ("plot.md", "Plots", ("jettison.plot", "jettison.plot.figures")),
    ("gym.md", "Environments for learning", ("jettison.gym",)),
    ("errors.md", "Errors", ("jettison.errors",)),
)
#: Names that are public without being in a list of their module.
ALSO = {"jettison.errors": ("Problem",), "jettison.whatif": ("WhatIf",)}
#: Names that modules of the package share, and that are not for users.
INTERNAL = {
    "jettison.table": ("About", "Reader"),
    "Result": ("of_tables",),
    "Table": ("about", "described"),
    "Explanation": ("of",),
}
#: Classes that only the package itself makes: their arguments are left out.
MADE_HERE = ("Result", "Table", "SweepResult", "TuneResult", "Explanations")


def load() -> Any:
    """The package, read without importing it."""
    return griffe.load("jettison", search_paths=[ROOT / "python"], allow_inspection=False, docstring_parser="google")


def public(package: Any, module: str) -> list[tuple[str, Any]]:
    """The public names of a module, with the path under which users have them; none if the module does not exist."""
    try:
        own = package[module.removeprefix("jettison.")]
    except KeyError:
        return []
    top = [str(name) for name in package.exports]
    if own.exports is not None:
        names = [str(name) for name in own.exports]
    else:
        names = [name for name in own.members if name in top and _target(package[name]) is own.members[name]]
    names += [name for name in ALSO.get(module, ()) if name not in names]
    names = [name for name in names if name not in INTERNAL.get(module, ())]
    found: list[tuple[str, Any]] = []
    for name in names:
        target = _target(own[name])
        if not target.is_module:
            found.append((f"jettison.{name}" if name in top else f"{module}.{name}", target))
    return found


def _target(own: Any) -> Any:
    return own.final_target if own.is_alias else own


def members(of: Any) -> Iterator[tuple[str, Any]]:
    """The public methods, properties and attributes of a class, in their order."""
    for name, member in of.members.items():
        own = _target(member)
        if name.startswith("_") or name in INTERNAL.get(of.name, ()):
            continue
        if own.is_function or own.is_attribute:
            yield name, own


def undocumented(package: Any) -> list[str]:
    """The public names without a docstring."""
    found: list[str] = []
    for _, _, modules in CONTENTS:
        for module in modules:
            for path, own in public(package, module):
                if own.docstring is None:
                    found.append(path)
                if own.is_class:
                    listed = {*_attributes_in_docstring(own), *_parameters_in_docstring(own)}
                    found += [f"{path}.{n}" for n, m in members(own) if m.docstring is None and n not in listed]
    return found


def pages(package: Any) -> dict[str, str]:
    """The contents of all pages by file."""
    made: dict[str, str] = {}
    index = ["# The package `jettison`", "", plain(_text(package)), ""]
    index += [
        "This reference is generated from the docstrings (`make api`). [Python](../python.md) is the introduction.",
        "",
    ]
    for file, title, modules in CONTENTS:
        names = [pair for module in modules for pair in public(package, module)]
        if not names:
            continue
        parts = [f"# {title}", ""]
        index += [f"## [{title}]({file})", "", "| name | |", "| --- | --- |"]
        for path, own in names:
            parts += _described(path, own)
            line = plain(_text(own)).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            index.append(f"| [`{path}`]({file}#{_anchor(path)}) | {line} |")
        index.append("")
        made[file] = "\n".join(parts).rstrip() + "\n"
    made["index.md"] = "\n".join(index).rstrip() + "\n"
    return made


def _described(path: str, own: Any) -> list[str]:
    """A public name: heading, signature, text, and the members of a class."""
    lines = [f"## {path}", ""]
    if own.is_class:
        made = path if own.name in MADE_HERE else _signature(path, own.parameters)
        lines += [*_fenced(f"class {made}"), *_docstring(own)]
        attributes = [(n, m) for n, m in members(own) if not m.is_function]
        listed = _attributes_in_docstring(own)
        rows = [(n, _annotation(m), plain(_text(m))) for n, m in attributes if m.docstring is not None]
        rows += [(n, "", text) for n, text in listed.items() if n not in {row[0] for row in rows}]
        if rows:
            lines += ["| attribute | type | |", "| --- | --- | --- |"]
            lines += [f"| `{n}` | {_code(kind)} | {_cell(text)} |" for n, kind, text in rows] + [""]
        for name, method in members(own):
            if method.is_function:
                returned = "" if method.returns is None else f" -> {method.returns}"
                lines += [f"### {path.rpartition('.')[2]}.{name}", ""]
                lines += [*_fenced(_signature(name, method.parameters) + returned), *_docstring(method)]
    elif own.is_function:
        returned = "" if own.returns is None else f" -> {own.returns}"
        lines += [*_fenced(_signature(path, own.parameters) + returned), *_docstring(own)]
    else:
        value = "" if own.value is None else f" = {own.value}"
        lines += [*_fenced(path.rpartition(".")[2] + value), *_docstring(own)]
    return lines


def _signature(name: str, parameters: Any) -> str:
    given: list[str] = []
    seen_star = False
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        kind = parameter.kind.value if parameter.kind else ""
        if kind == "keyword-only" and not seen_star:
            given.append("*")
            seen_star = True
        stars = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        seen_star = seen_star or stars == "*"
        text = stars + parameter.name + ("" if parameter.annotation is None else f": {parameter.annotation}")
        if parameter.default is not None and not stars:
            text += f" = {parameter.default}" if parameter.annotation is not None else f"={parameter.default}"
        given.append(text)
    line = f"{name}({', '.join(given)})"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {each},\n" for each in given) + ")"


def _fenced(code: str) -> list[str]:
    return ["```python", code, "```", ""]


def _docstring(own: Any) -> list[str]:
    """The docstring in Markdown: text, arguments, errors, examples."""
    lines: list[str] = []
    for section in own.docstring.parsed if own.docstring else []:
        kind = section.kind.value
        if kind == "text":
            lines += [plain(section.value), ""]
        elif kind in ("parameters", "other parameters"):
            lines += [f"- `{each.name}`: {_cell(plain(each.description))}" for each in section.value] + [""]
        elif kind == "raises":
            lines += ["Raises:", ""]
            lines += [f"- `{each.annotation}`: {_cell(plain(each.description))}" for each in section.value] + [""]
        elif kind == "returns":
            lines += [f"Returns: {_cell(plain(each.description))}" for each in section.value] + [""]
        elif kind == "examples":
            for what, text in section.value:
                lines += [plain(text) if what.value == "text" else "\n".join(_fenced(_example(text))), ""]
        elif kind != "attributes":  # they are in the table of the class
            raise SystemExit(f"{own.path}: a docstring has a section of the kind `{kind}`, which no page shows yet")
    return lines


def _attributes_in_docstring(own: Any) -> dict[str, str]:
    sections = own.docstring.parsed if own.docstring else []
    return {e.name: plain(e.description) for s in sections if s.kind.value == "attributes" for e in s.value}


def _parameters_in_docstring(own: Any) -> list[str]:
    sections = own.docstring.parsed if own.docstring else []
    return [each.name for section in sections if section.kind.value == "parameters" for each in section.value]


def _annotation(own: Any) -> str:
    return "" if own.annotation is None else str(own.annotation)


def _text(own: Any) -> str:
    """The text of a docstring, without its sections."""
    sections = own.docstring.parsed if own.docstring else []
    return "\n\n".join(str(section.value) for section in sections if section.kind.value == "text")


def plain(text: str) -> str:
    """Markdown of a docstring's text: roles are names, and examples are fenced."""
    text = re.sub(r":(?:class|func|meth|mod|data|attr):`~?(?:jettison\.)?([^`]+)`", r"`\1`", text)
    text = text.replace("``", "`")
    lines: list[str] = []
    example: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.startswith((">>> ", "... ")) or (example and line.strip()):
            example.append(line)
            continue
        if example:
            lines += ["```python", *_example("\n".join(example)).split("\n"), "```"]
            example = []
        lines.append(line)
    return "\n".join(lines).strip()


def _example(text: str) -> str:
    return re.sub(r" *# doctest: .*", "", text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _anchor(path: str) -> str:
    """The anchor that mdBook gives a heading."""
    return re.sub(r"[^a-z0-9_\- ]", "", path.lower()).replace(" ", "-")


def main() -> int:
    """Writes the pages, or checks them."""
    package = load()
    missing = undocumented(package)
    if missing:
        print("without a docstring: " + ", ".join(missing), file=sys.stderr)
        return 1
    wanted = pages(package)
    there = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    if "--check" in sys.argv[1:]:
        stale = sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))
        if stale:
            print(f"not current: {', '.join(stale)}; run `make api`", file=sys.stderr)
        return 1 if stale else 0
    PAGES.mkdir(exist_ok=True)
    for name in set(there) - set(wanted):
        (PAGES / name).unlink()
    for name, text in wanted.items():
        (PAGES / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
