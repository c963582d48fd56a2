"""What to install when the extension module does not find its shared libraries."""

from __future__ import annotations

import importlib.metadata
import sys


def named(problem: ImportError) -> ImportError:
    """The problem, with Debian's packages that a wheel names for the libraries it takes from the system."""
    try:
        needed = importlib.metadata.metadata("modicum").get_all("Requires-External") or []
    except importlib.metadata.PackageNotFoundError:
        needed = []
    text = str(problem)
    if "shared object" in text and needed:
        packages = " ".join(each.split()[0] for each in needed)
        text += f"; on Debian 12 the libraries come with: apt-get install {packages}"
    elif "_core" in text:
        text += f"; this copy was built for another Python than {sys.version.split()[0]}, or not at all"
    return ImportError(text, name=problem.name, path=problem.path)
