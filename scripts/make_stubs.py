"""Writes modicum/_core.pyi from the signatures that the built extension module tells.

    PYTHONPATH=build/test/python python3 scripts/make_stubs.py          # writes it
    PYTHONPATH=build/test/python python3 scripts/make_stubs.py --check  # or says how it differs
"""

import difflib
import inspect
import pathlib
import re
import sys

from modicum import _core

PLACE = pathlib.Path(__file__).resolve().parents[1] / "python" / "modicum" / "_core.pyi"
HEAD = '''"""Made by scripts/make_stubs.py from the extension module; a test keeps both in step."""

from typing import Any, Dict, List, Optional, Tuple

import numpy
from numpy.typing import NDArray

'''


def typed(signature):
    """A signature of pybind11 in the words of type checkers."""
    signature = re.sub(r"numpy\.ndarray\[(numpy\.\w+)(?:\[[^]]*\])?[^]]*\]", r"NDArray[\1]", signature)
    signature = signature.replace("modicum._core.", "").replace("-> tuple", "-> Tuple[Any, ...]")
    for plain, full in (("dict", "Dict[str, Any]"), ("list", "List[Any]"), ("object", "Any")):
        signature = re.sub(rf"(?:(?<=: )|(?<=> )|(?<=\[)){plain}\b", full, signature)
    return signature


def function(name, thing, indent="", static=False):
    line = thing.__doc__.splitlines()[0]
    assert line.startswith(name + "("), line
    decorator = f"{indent}@staticmethod\n" if static else ""
    return f"{decorator}{indent}def {typed(line)}: ...\n"


def members(kind):
    for name, thing in sorted(vars(kind).items()):
        if isinstance(thing, staticmethod):
            yield function(name, thing.__func__, "    ", static=True)
        elif isinstance(thing, property):
            answer = re.search(r"-> (.+)$", thing.fget.__doc__.strip()).group(1)
            yield f"    @property\n    def {name}(self) -> {answer}: ...\n"
        elif name == "__init__" and not thing.__doc__.startswith("__init__("):
            continue  # made by functions alone
        elif name == "__init__" or not name.startswith("_"):
            yield function(name, thing, "    ")


def stub():
    parts = []
    for name, thing in sorted(vars(_core).items()):
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        if inspect.isclass(thing):
            inside = "".join(members(thing))
            parts.append(f"class {name}:\n{inside}" if inside else f"class {name}: ...\n")
        elif inspect.isroutine(thing):
            parts.append(function(name, thing))
        elif name == "__version__" or not name.startswith("_"):
            parts.append(f"{name}: {type(thing).__name__}\n")
    errors = [thing for thing in vars(_core).values() if inspect.isclass(thing) and issubclass(thing, Exception)]
    errors.sort(key=lambda error: (len(error.__mro__), error.__name__))
    parts = [f"class {error.__name__}({error.__base__.__name__}): ...\n" for error in errors] + parts
    return HEAD + "\n".join(parts)


if __name__ == "__main__":
    made, kept = stub(), PLACE.read_text() if PLACE.exists() else ""
    if "--check" not in sys.argv:
        PLACE.write_text(made)
    elif made != kept:
        sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), made.splitlines(True), "kept", "made"))
        sys.exit("the stubs are not those of the module: run scripts/make_stubs.py")
