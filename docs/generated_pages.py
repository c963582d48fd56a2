"""Pages of the site that are made from the sources: the C++ headers, and the help of the program.

    generated_pages.py SOURCE_DIR PAGES

writes PAGES/reference/cpp/LAYER.md for every folder of include/modicum and, where the environment
variable MODICUM_PROGRAM names the program, PAGES/reference/commands/COMMAND.md. PAGES is a copy of this
folder. Where the Python package cannot be imported, its reference page says so instead.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Optional

# As in CMakeLists.txt, lowest first.
LAYERS = {
    "numerics": "Numbers known by two bounds, exceptions, and searches",
    "randomness": "Where random bits come from, and exact draws",
    "privacy": "Privacy losses, and what they say",
    "calibration": "The least noise for a target",
    "mechanisms": "Mechanisms, each described by its loss",
    "auditing": "Claims against the truth",
    "data": "Tables in files",
    "release": "Private numbers from tables, with certificates",
    "ledger": "Budgets that outlive a run, and what a loss costs",
    "interfaces": "Descriptions, charts and the program",
}
COMMENT = re.compile(r"\s*///?<?\s?(.*)$")
PAGE = re.compile(r"\bdocs/([\w/-]+)\.md")


def prose(lines: list[str]) -> str:
    """The text of comments as Markdown: only code in backticks keeps its meaning, and pages are links.
    Lines that are indented further are formulas."""
    parts, formula = [], False
    for line in lines:
        indented = line.startswith("   ")
        if indented and not formula:
            parts.append("")
        if indented:
            parts.append("    " + line.strip())
        else:
            pieces = re.split(r"(`[^`]*`)", line)
            pieces[::2] = [PAGE.sub(lambda page: f"[{page[1]}](../../{page[1]}.md)",
                                    re.sub(r"([\\*_<>|\[\]#~$])", r"\\\1", piece)) for piece in pieces[::2]]
            parts.append(("\n" if formula and line else "") + "".join(pieces))
        formula = indented
    text = "\n".join(parts).strip("\n")
    # A list or a heading at the start of a line would be one by accident.
    return re.sub(r"^(\d+)([.)] )", r"\1\\\2", re.sub(r"^([-+=])", r"\\\1", text, flags=re.M), flags=re.M)


def without_comment(line: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"|//.*$', "", line)


def blocks_of(lines: list[str]) -> list[tuple[list[str], list[str]]]:
    """(comment, declarations) one after the other, cut where a comment or a blank line stands outside
    of all braces."""
    blocks: list[tuple[list[str], list[str]]] = [([], [])]
    depth = 0
    for line in lines:
        text = line.strip()
        if depth == 0 and not text:
            blocks.append(([], []))
            continue
        if depth == 0 and text.startswith("//") and not line.startswith(" "):
            if blocks[-1][1]:
                blocks.append(([], []))
            match = COMMENT.match(line)
            blocks[-1][0].append(match[1] if match else text)
            continue
        blocks[-1][1].append(line)
        code = without_comment(line)
        depth += sum(code.count(mark) for mark in "{(") - sum(code.count(mark) for mark in "})")
    return [block for block in blocks if block[0] or block[1]]


def without_details(lines: list[str]) -> list[str]:
    """Without private members, namespaces of details, and members of templates defined further below."""
    kept: list[str] = []
    end: Optional[str] = None  # how the last line of what is left out begins
    for line in lines:
        if end is not None:
            if line.startswith(end):
                kept += [line] if end.endswith("};") else []
                end = None
        elif match := re.match(r"( *) private:", line):
            end = match[1] + "};"
            while not kept[-1].strip():
                kept.pop()
        elif re.match(r"namespace \w+_detail \{", line):
            end = "}  // namespace"
        elif re.match(r"\S.* \w+::\w+\(.*\{$", line):
            end = "}"
            while kept and kept[-1].strip():
                kept.pop()
        else:
            kept.append(line)
    return kept


def header_page(path: Path, include: str) -> str:
    """A section: what the header is for, then its declarations with what is said about them."""
    top: list[str] = []
    body: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"#\s*(pragma|include)|namespace modicum\b.*\{$|\}\s*// namespace modicum\b", line):
            continue
        if not body and line.startswith("//") and not line.startswith("///"):
            top.append(line[2:].removeprefix(" "))
        elif body or line.strip():
            body.append(line)
    parts = [f"## {path.name}", prose(top), f'```cpp\n#include "{include}"\n```']
    for comment, declarations in blocks_of(without_details(body)):
        heading = re.fullmatch(r"-+ (.*?) -+", " ".join(comment))
        parts.append(f"### {heading[1]}" if heading else prose(comment))
        if declarations:
            parts.append("```cpp\n" + "\n".join(declarations) + "\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


def write_headers(source: Path, pages: Path) -> None:
    folder = source / "include" / "modicum"
    found = {path.name for path in folder.iterdir() if path.is_dir()}
    if found != set(LAYERS):
        raise SystemExit(f"layers without a description, or the other way round: {found ^ set(LAYERS)}")
    for layer, title in LAYERS.items():
        text = [f"# {layer}\n", f"{title}.\n"]
        for path in sorted((folder / layer).glob("*.h")):
            text.append(header_page(path, f"modicum/{layer}/{path.name}"))
        target = pages / "reference" / "cpp" / f"{layer}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(text), encoding="utf-8")


def help_of(program: str, words: list[str]) -> str:
    done = subprocess.run([program, *words, "--help"], check=True, text=True, capture_output=True,
                          timeout=60, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.rstrip()


def subcommands_of(text: str) -> list[str]:
    part = re.search(r"^Commands:\n((?:  .*\n?)*)", text, re.M)
    return re.findall(r"^  ([a-z]\S*)", part[1], re.M) if part else []


def help_section(program: str, words: list[str], level: int) -> str:
    """The help of a command and, below it, of those under it."""
    text = help_of(program, words)
    section = f"{'#' * level} modicum {' '.join(words)}\n\n```text\n{text}\n```\n"
    return "\n".join([section, *(help_section(program, [*words, name], level + 1)
                                 for name in subcommands_of(text))])


def write_commands(program: str, pages: Path) -> None:
    folder = pages / "reference" / "commands"
    folder.mkdir(parents=True, exist_ok=True)
    names = subcommands_of(help_of(program, []))
    for name in names:
        (folder / f"{name}.md").write_text(help_section(program, [name], 1), encoding="utf-8")


def main() -> None:
    source, pages = (Path(word) for word in sys.argv[1:])
    write_headers(source, pages)
    program = os.environ.get("MODICUM_PROGRAM", "")
    if program:
        write_commands(os.path.abspath(program), pages)
    else:
        page = pages / "reference" / "command-line.md"
        page.write_text("# The command line\n\n`modicum --help`, and the help of each command, tell it. "
                        "(This copy was built without the program.)\n", encoding="utf-8")
        print("MODICUM_PROGRAM is not set: no pages for the command line", file=sys.stderr)
    if importlib.util.find_spec("modicum") is None:
        page = pages / "reference" / "python.md"
        page.write_text("# The Python package\n\nIts docstrings tell it: `help(modicum)`. (This copy was "
                        "built without the package.)\n", encoding="utf-8")
        print("modicum cannot be imported: no page for the Python package", file=sys.stderr)


if __name__ == "__main__":
    main()
