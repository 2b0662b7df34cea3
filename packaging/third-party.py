#!/usr/bin/env python3
"""Prints the licences of everything that the packages contain beside Jettison's own code.

The crates are those that the command and the Python module are built of, by Cargo's own resolution for this platform, and those of
the loader of congestion controls. Their texts are the files in the crates. Equal texts are printed once.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Debian packages whose static libraries the loader contains.
STATIC = ["libelf-dev", "zlib1g-dev", "libc6-dev"]
NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def crates(manifest: Path, platform: str, roots: set[str]) -> dict[str, dict]:
    """The crates that `roots` (or the manifest's own) are built of, without those for building and testing."""
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={platform}"]
    text = subprocess.run([*command, f"--manifest-path={manifest}"], check=True, capture_output=True, text=True).stdout
    metadata = json.loads(text)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [id for id in metadata["workspace_members"] if not roots or packages[id]["name"] in roots]
    found = {}
    while waiting:
        id = waiting.pop()
        if id in found:
            continue
        found[id] = packages[id]
        for dependency in nodes[id]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return {id: package for id, package in found.items() if package["source"]}


def texts(package: dict) -> list[str]:
    """The licence files of a crate."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.name.lower().startswith(NAMES) and file.is_file())
    return [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]


def main() -> None:
    platform, with_loader = sys.argv[1], sys.argv[2:] == ["--with-static-loader"]
    found = crates(ROOT / "Cargo.toml", platform, {"jettison-cli", "jettison-python"})
    if with_loader:
        found |= crates(ROOT / "bpf/loader/Cargo.toml", platform, set())
    found = sorted(found.values(), key=lambda package: (package["name"], package["version"]))
    print("Jettison's packages contain these crates, each under its own licence:\n")
    owners = defaultdict(list)
    for package in found:
        name = f"{package['name']} {package['version']}"
        print(f"  {name}: {package['license'] or 'see its file'}")
        for text in texts(package):
            owners[text].append(name)
    if with_loader:
        print(
            "\nThe loader of congestion controls, a program of its own inside the command, is linked with static libraries: libbpf (in\n"
            "the crate libbpf-sys), and Debian's libelf, zlib and glibc. To link it with others, build it from Jettison's source:\n"
            "`cargo build --release --manifest-path bpf/loader/Cargo.toml`."
        )
        for package in STATIC:
            file = Path("/usr/share/doc") / package / "copyright"
            owners[file.read_text(encoding="utf-8").strip()].append(f"Debian's {package}")
    for text, names in owners.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n{'=' * 100}\n\n{text}")


main()
