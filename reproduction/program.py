"""Runs modicum and reads its JSON."""

import json
import os
import subprocess


class ProgramFailed(Exception):
    pass


def ask(*arguments):
    """The JSON object that `modicum ARGUMENTS --json` prints."""
    command = [os.environ["MODICUM_PROGRAM"], *map(str, arguments), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise ProgramFailed(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout)
