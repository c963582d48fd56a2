"""check_page.py BUILD: the examples there print what docs/cpp.md says they do.

The page has one block after the words "It prints" for each. What differs from run to run, as the page
says, is the line that begins with "released: ".
"""
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documentation"))
from tutorial_test import SOURCE, same_line  # noqa: E402

page = (SOURCE / "docs" / "cpp.md").read_text(encoding="utf-8")
blocks = re.findall(r"It prints\n\n```\n(.*?)```", page, re.S)
assert len(blocks) == 2, "the page shows the output of two programs"
for name, block in zip(("budget", "lift"), blocks):
    printed = subprocess.run([Path(sys.argv[1]) / name], capture_output=True, text=True, check=True).stdout
    expected = block.splitlines()
    assert len(printed.splitlines()) == len(expected), (expected, printed)
    for wanted, line in zip(expected, printed.splitlines()):
        if not wanted.startswith("released: ") and not same_line(wanted, line):
            sys.exit(f"docs/cpp.md says {wanted!r}, but {name} prints {line!r}")
