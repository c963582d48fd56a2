"""``python -m modicum``: the program."""

import sys

from . import _core


def main() -> int:
    """Runs the command that the arguments of this process name."""
    return _core.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
