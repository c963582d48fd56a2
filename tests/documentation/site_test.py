"""Builds the documentation site and looks at its pages.

MODICUM_PYTHON_PATH is a folder with the built Python package; without it the page about the package is
not looked at.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SOURCE = Path(os.environ.get("MODICUM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PYTHON_PATH = os.environ.get("MODICUM_PYTHON_PATH", "")
needs_package = unittest.skipUnless(PYTHON_PATH, "MODICUM_PYTHON_PATH is not set")


class Page(HTMLParser):
    """The links of a page, the places in it that links can lead to, what it loads, and its text."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.loaded, self.words = [], set(), [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = re.sub(r"\s+", " ", "".join(self.words))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.places.add(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") == "stylesheet":
            self.loaded.append(found["href"])
        elif found.get("src"):
            self.loaded.append(found["src"])

    def handle_data(self, data):
        self.words.append(data)


def listing(folder):
    return sorted(str(path.relative_to(folder)) for name in ("docs", "scripts", "include")
                  for path in (folder / name).rglob("*"))


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="modicum-site-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        before = listing(SOURCE)
        done = subprocess.run(
            ["bash", str(SOURCE / "scripts" / "build_docs.sh"), str(cls.folder)], text=True, timeout=500,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHON": sys.executable, "PYTHONPATH": PYTHON_PATH, "LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise AssertionError("the site could not be built:\n" + done.stdout)
        if listing(SOURCE) != before:
            raise AssertionError("the build wrote into the source tree")
        cls.pages = {path.relative_to(cls.folder).as_posix(): Page(path)
                     for path in cls.folder.rglob("*.html")}

    def test_every_document_is_a_page(self):
        for path in (SOURCE / "docs").rglob("*.md"):
            page = path.relative_to(SOURCE / "docs").with_suffix(".html").as_posix()
            self.assertIn(page, self.pages)
            self.assertGreater(len(self.pages[page].text), 500, page)

    def test_links_lead_somewhere(self):
        for name, page in self.pages.items():
            for link in page.links:
                target = urlsplit(link)
                if target.scheme:
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(name), unquote(target.path)))
                path = path if target.path else name
                self.assertTrue((self.folder / path).is_file(), f"{name} links to {link}")
                if target.fragment and path in self.pages:
                    self.assertIn(unquote(target.fragment), self.pages[path].places | {"", "#"},
                                  f"{name} links to {link}")

    def test_pages_load_nothing_from_elsewhere(self):
        for name, page in self.pages.items():
            for address in page.loaded:
                self.assertEqual(urlsplit(address).netloc, "", f"{name} loads {address}")
                path = os.path.join(self.folder, os.path.dirname(name), urlsplit(address).path)
                self.assertTrue(os.path.isfile(path), f"{name} loads {address}")

    def test_every_header_has_its_place(self):
        for path in (SOURCE / "include" / "modicum").rglob("*.h"):
            page = self.pages[f"reference/cpp/{path.parent.name}.html"]
            self.assertIn(f'#include "modicum/{path.parent.name}/{path.name}"', page.text)
        page = self.pages["reference/cpp/privacy.html"]
        self.assertIn("profile-h", page.places)
        self.assertIn("ProfilePoint profile(const PrivacyLoss& loss, double epsilon", page.text)
        self.assertNotIn(" private:", page.text)

    def test_every_command_has_its_help(self):
        program = os.environ["MODICUM_PROGRAM"]
        text = subprocess.run([program, "--help"], check=True, text=True, stdout=subprocess.PIPE).stdout
        names = re.findall(r"^  ([a-z]\S*)", text.split("Commands:\n")[1].split("\n\n")[0], re.M)
        self.assertIn("calibrate", names)
        for name in names:
            self.assertIn(f"Usage: modicum {name}", self.pages[f"reference/commands/{name}.html"].text)
        self.assertIn("modicum-release-regression", self.pages["reference/commands/release.html"].places)

    @needs_package
    def test_every_public_name_is_in_the_python_reference(self):
        listed = subprocess.run(
            [sys.executable, "-c", "import modicum, types; print(*(n for n in modicum.__all__ if not "
             "isinstance(getattr(modicum, n), types.ModuleType)))"],
            check=True, text=True, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PYTHON_PATH}).stdout.split()
        self.assertIn("calibrate_gaussian", listed)
        places = self.pages["reference/python.html"].places
        for name in [*listed, "Loss.delta", "PrivateLinearRegression.fit"]:
            self.assertIn("modicum." + name, places)


if __name__ == "__main__":
    if "MODICUM_PROGRAM" not in os.environ:
        sys.exit("set MODICUM_PROGRAM to the built program")
    unittest.main(verbosity=2)
