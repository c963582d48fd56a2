"""The scripts of examples/python: each runs to its end, prints what it says, and draws something."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import matplotlib.image
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "examples" / "python"

# What the text of each must say.
FACTS = {
    "dp_sgd": ["1.828236", "standard deviation must be 1.414", "epsilon 511.8"],
    "private_regression": ["(1, 1e-06)-differential privacy, proved", "provided that", "confidential",
                           "schooling"],
    "broken_mechanism": ["broken: violated", "claimed: 1"],
    "per_instance": ["For the holder of the data", "For the owner of the first record"],
    "private_pca": ["(1, 1e-06)-differential privacy, proved", "Confidential"],
}


class Examples(unittest.TestCase):
    def run_script(self, name, *words, folder):
        # From another folder: the script finds its table by its own path.
        environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, str(SCRIPTS / f"{name}.py"), *words], cwd=folder,
                              env=environment, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check_pictures(self, folder, name):
        pixels = matplotlib.image.imread(folder / f"{name}.png")
        colors = np.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0)
        self.assertGreater(len(colors), 10)
        self.assertIn("<svg", (folder / f"{name}.svg").read_text(encoding="utf-8"))

    def check(self, name, *, pictures="pictures"):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            text = self.run_script(name, *(["--output", pictures] if pictures else []), folder=folder)
            for fact in FACTS[name]:
                self.assertIn(fact, text)
            self.check_pictures(folder / pictures, name)
            if pictures:
                self.assertEqual({each.name for each in folder.iterdir()}, {pictures})
            return text

    def test_dp_sgd(self):
        self.check("dp_sgd")

    def test_private_regression(self):
        self.check("private_regression")

    def test_broken_mechanism(self):
        text = self.check("broken_mechanism")
        self.assertNotIn("correct: violated", text)

    def test_per_instance(self):
        self.check("per_instance")

    def test_private_pca_with_its_pictures_here(self):
        self.check("private_pca", pictures="")

    def test_every_script_is_here(self):
        self.assertEqual({each.stem for each in SCRIPTS.glob("*.py")}, set(FACTS))


if __name__ == "__main__":
    unittest.main()
