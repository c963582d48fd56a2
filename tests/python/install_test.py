"""pip installs the package into a fresh environment, without downloading anything."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from _support import SOURCE


class Install(unittest.TestCase):
    def test_pip_install(self):
        build = os.environ["MODICUM_BUILD_DIR"]
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "environment"
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(place)], check=True)
            python = str(place / "bin" / "python")
            clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}
            done = subprocess.run(
                [python, "-m", "pip", "install", "--no-index", "--no-cache-dir", "--quiet",
                 "--config-settings", f"build-dir={build}", str(SOURCE)],
                capture_output=True, text=True, env=clean)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            script = ("import modicum, modicum.plot; print(modicum.__file__); "
                      "print(modicum.gaussian(standard_deviation=1).delta(1.0))")
            out = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True, cwd=folder,
                                 env=clean).stdout.split()
            self.assertTrue(out[0].startswith(str(place)), out)
            self.assertAlmostEqual(float(out[1]), 0.12693673750664, places=12)
            version = subprocess.run([str(place / "bin" / "modicum"), "--version"], capture_output=True,
                                     text=True, check=True, env=clean)
            self.assertIn("modicum", version.stdout)


if __name__ == "__main__":
    unittest.main()
