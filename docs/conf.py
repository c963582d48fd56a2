"""The documentation site. scripts/build_docs.sh builds it from a copy of this folder."""

from __future__ import annotations

import os
import re
from typing import Any

from sphinx.addnodes import toctree
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

project = "Modicum"
author = "The Modicum authors"
project_copyright = author
html_title = "Modicum"
html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4
highlight_language = "none"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "Path": "Path", "Numbers": "Numbers", "Ranges": "Ranges",
                        "Released": "Released", "Pair": "Pair", "Ledgers": "Ledgers", "Plans": "Plans",
                        "Described": "Described"}
python_use_unqualified_type_names = True
# Types of other packages, whose documentation is not at hand, and names for unions of types.
nitpick_ignore_regex = [
    (r"py:.*", r"(numpy|np|matplotlib|sklearn|os|collections|typing|pathlib)\..*"),
    (r"py:.*", r"(Any|ArrayLike|NDArray|Mapping|Sequence|Iterable|Optional|Union|float64|int64)"),
    (r"py:.*", r"(Path|Numbers|Ranges|Released|Pair|Ledgers|Plans|Described|Axes|Figure)"),
    (r"py:.*", r"(ValueError|RuntimeError|Exception|optional|bool|int|float|str|list|dict|tuple|None)"),
    (r"py:.*", r"modicum\._core\..*"),
    (r"py:.*", r"modicum\.estimators\._.*"),
]

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
OUTSIDE = ".."


def with_links_inside(page: str, text: str) -> str:
    """Links to files of the repository that are no part of the site become their names, and links to
    a folder lead to its index."""
    folder = os.path.dirname(page)

    def replaced(match: re.Match[str]) -> str:
        _, label, target, anchor = match.groups()
        if re.match(r"[a-z]+:", target):
            return match.group()
        path = os.path.normpath(os.path.join(folder, target))
        if path.split("/")[0] == OUTSIDE:
            name = path[len(OUTSIDE) + 1:]
            return f"`{name}`" if label.strip("`/") == name else f"{label} (`{name}`)"
        if target.endswith("/"):
            return f"[{label}]({target}index.md{anchor or ''})"
        return match.group()

    # Blocks of code stay as they are; a link may go over the end of a line.
    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.M | re.S)
    parts[::2] = [LINK.sub(replaced, part) for part in parts[::2]]
    return "".join(parts)


def read_source(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = with_links_inside(page, source[0])


def skip_member(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> Any:
    """Fields of a named tuple are in its signature; those with a comment of their own are listed too."""
    if not str(getattr(member, "__doc__", "")).startswith("Alias for field number"):
        return None
    import modicum
    owner = getattr(modicum, app.env.temp_data["autodoc:class"])
    return (owner.__name__, name) not in ModuleAnalyzer.for_module(owner.__module__).find_attr_docs()


def process_signature(app: Sphinx, what: str, name: str, member: Any, options: Any, signature: str | None,
                      returned: str | None) -> tuple[str, str | None] | None:
    """Arrays by their short name; no arguments for what nobody makes by hand."""
    if name in ("modicum.Loss", "modicum.Answer", "modicum.Certificate"):
        return "", None
    if signature is None:
        return None
    return _with_short_arrays(signature), returned and _with_short_arrays(returned)


def _with_short_arrays(text: str) -> str:
    array = r"~?numpy\.ndarray\[~?(?:typing\.)?Any, ~?numpy\.dtype\[~?(?:typing\.)?([\w.]+)\]\]"
    return re.sub(array, r"NDArray[\1]", text)


def process_docstring(app: Sphinx, what: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """In docstrings |x| is an absolute value, not a substitution."""
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``)", line)
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        lines[number] = "".join(parts)


def titles_of(tocs: dict[str, Any]) -> dict[str, Any]:
    """Tables of contents with the title of the page and what its toctrees list, without headings."""
    titles = {page: toc.deepcopy() for page, toc in tocs.items()}
    for toc in titles.values():
        for entry in toc:
            if len(entry) > 1:
                lists = list(entry.findall(toctree))
                entry[1:] = [type(entry[1])("", *lists)] if lists else []
    return titles


def list_titles_alone(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The tree of all pages at the side of each shows titles: it is made without copies of all headings."""
    make = context["toctree"]

    def make_of_titles(**options: Any) -> str:
        if not options.get("titles_only"):
            return make(**options)
        full = app.env.tocs
        if not hasattr(app, "modicum_titles"):
            app.modicum_titles = titles_of(full)
        app.env.tocs = app.modicum_titles
        try:
            return make(**options)
        finally:
            app.env.tocs = full

    context["toctree"] = make_of_titles


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", list_titles_alone, priority=400)  # before the theme asks
    app.connect("autodoc-process-docstring", process_docstring)
    app.connect("source-read", read_source)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-signature", process_signature)
