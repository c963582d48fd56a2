"""What the packages are made of, without making them: versions, lists of files, and the wheel."""

import base64
import fnmatch
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zipfile

SOURCE = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["MODICUM_BUILD_DIR"])
PROGRAM = os.environ["MODICUM_PROGRAM"]
DEBIAN = SOURCE / "packaging" / "debian"
sys.path.append(str(SOURCE / "python"))  # after the folder with the built module
import build_backend  # noqa: E402


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def paragraphs():
    """Those of the control file, as dictionaries."""
    found = []
    for text in (DEBIAN / "control").read_text().split("\n\n"):
        fields = re.findall(r"^(\S+):[ ]?((?:.*\n?)(?:^ .*\n?)*)", text, re.M)
        found.append({name: value.strip() for name, value in fields})
    return found


def names(dependencies):
    return {each.split()[0] for each in re.split(r"[,|]", dependencies) if not each.strip().startswith("$")}


class Version(unittest.TestCase):
    def test_one_number_everywhere(self):
        import modicum
        version = re.search(r"project\(modicum VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(said(PROGRAM, "--version"), f"modicum {version}\n")
        self.assertEqual(modicum.__version__, version)
        self.assertEqual(build_backend._version(), version)
        heading = re.search(r"^## (.*)$", (SOURCE / "CHANGELOG.md").read_text(), re.M)[1]
        self.assertTrue(heading.startswith(f"[{version}]"), heading)
        self.assertEqual(tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]["dynamic"], ["version"])


class Debian(unittest.TestCase):
    def test_what_a_build_needs_is_what_modicum_installs(self):
        listed = said("bash", "-c", f'source "{SOURCE}/scripts/prepare.sh"; '
                      'echo "${run_packages[@]}" "${python_packages[@]}"').split()
        packing = {"debhelper-compat", "dh-python"}
        self.assertEqual(names(paragraphs()[0]["Build-Depends"]) - packing, set(listed) - {"g++"})

    def test_users_of_the_library_get_what_its_configuration_looks_for(self):
        library = next(each for each in paragraphs() if each.get("Package") == "libmodicum-dev")
        needed = names(library["Depends"])
        package_of = {"Eigen3": "libeigen3-dev", "Arb": "libflint-arb-dev", "Lapacke": "liblapacke-dev",
                      "fmt": "libfmt-dev", "Sodium": "libsodium-dev", "SQLite3": "libsqlite3-dev",
                      "ZLIB": "zlib1g-dev", "Httplib": "libcpp-httplib-dev"}
        for found in re.findall(r"find_dependency\((\w+)", (SOURCE / "cmake/modicumConfig.cmake.in").read_text()):
            if found != "Threads":
                self.assertIn(package_of[found], needed)

    def test_every_installed_file_is_in_one_package(self):
        patterns = {package: (DEBIAN / file).read_text().split() for package, file in (
            ("program", "modicum.install"), ("library", "libmodicum-dev.install"), ("left out", "not-installed"))}
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            said("cmake", "-E", "env", f"DESTDIR={folder}", "cmake", "--install", str(BUILD), "--prefix", "/usr")
            files = [str(each.relative_to(place)) for each in place.rglob("*") if not each.is_dir()]
        # Where it is configured for /usr, as the preset `package` is, Debian's own folders are taken.
        files = [each.replace("zsh/site-functions", "zsh/vendor-completions") for each in files]
        files = [re.sub(r"^usr/lib/(?=cmake|libmodicum)", "usr/lib/any/", each) for each in files]
        kinds = {package: [] for package in patterns}
        for file in files:
            owners = [package for package, each in patterns.items()
                      if any(fnmatch.fnmatch(file, one) or fnmatch.fnmatch(file, one + "/*") for one in each)]
            self.assertEqual(len(owners), 1, file)
            kinds[owners[0]].append(file)
        headers = {"usr/" + str(each.relative_to(SOURCE)) for each in (SOURCE / "include").rglob("*.h")}
        self.assertEqual({each for each in kinds["library"] if each.endswith(".h")},
                         headers | {"usr/include/modicum/version.h"})
        self.assertIn("usr/share/man/man1/modicum-release-mean.1", kinds["program"])
        for pattern in patterns["program"] + patterns["library"]:
            self.assertTrue(any(fnmatch.fnmatch(each, pattern) or fnmatch.fnmatch(each, pattern + "/*")
                                for each in files), pattern)


class Wheel(unittest.TestCase):
    def test_record_tag_and_metadata(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
            name = build_backend.build_wheel(folder, {"build-dir": str(BUILD)})
            self.assertRegex(name, r"^modicum-[0-9.]+-cp3\d+-cp3\d+-linux_\w+\.whl$")
            with zipfile.ZipFile(pathlib.Path(folder, name)) as archive:
                self.assertEqual({each.date_time for each in archive.infolist()}, {(2023, 11, 14, 22, 13, 20)})
                files = {name: archive.read(name) for name in archive.namelist()}
        record = next(name for name in files if name.endswith("/RECORD"))
        rows = [line.rsplit(",", 2) for line in files[record].decode().splitlines()]
        self.assertEqual([row[0] for row in rows], list(files))
        for name, digest, size in rows[:-1]:
            found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, int(size)), (f"sha256={found}", len(files[name])), name)
        self.assertEqual(rows[-1], [record, "", ""])
        for source in (SOURCE / "python" / "modicum").glob("*.py*"):
            self.assertIn(f"modicum/{source.name}", files)
        metadata = files[record.replace("RECORD", "METADATA")].decode()
        self.assertIn("\nRequires-Dist: numpy\n", metadata)
        with tempfile.TemporaryDirectory() as folder:  # what pip asks for before the build
            info = build_backend.prepare_metadata_for_build_wheel(folder)
            before = pathlib.Path(folder, info, "METADATA").read_text()
        self.assertEqual(before, re.sub(r"Requires-External: .*\n", "", metadata))
        if subprocess.run(["which", "dpkg-shlibdeps"], capture_output=True).returncode == 0:
            for library in ("libflint-arb2", "libsodium23", "libfmt9"):
                self.assertIn(f"\nRequires-External: {library}", metadata)

    def test_a_missing_library_is_named_with_its_package(self):
        from modicum import _libraries
        text = str(_libraries.named(ImportError("libx.so.1: cannot open shared object file")))
        self.assertIn("libx.so.1", text)
        self.assertIn("another Python", str(_libraries.named(ImportError("No module named 'modicum._core'"))))


if __name__ == "__main__":
    unittest.main()
