"""Builds wheels with CMake. Nothing but the standard library, so that ``pip install .`` downloads
nothing for the build itself."""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "modicum"


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(modicum VERSION ([0-9.]+)", text).group(1)


def _metadata():
    return "".join(line + "\n" for line in (
        "Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}",
        "Summary: Sharp differential privacy: enclosures, calibration, releases with certificates, audits",
        "License: Apache-2.0", "Requires-Python: >=3.9", "Requires-Dist: numpy",
        "Provides-Extra: estimators", "Requires-Dist: scikit-learn ; extra == 'estimators'",
        "Provides-Extra: plot", "Requires-Dist: matplotlib ; extra == 'plot'",
        "Description-Content-Type: text/markdown", "")) + "\n" + (ROOT / "README.md").read_text()


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _build_extension(folder):
    """The extension module, built in `folder` for the Python that runs this."""
    if shutil.which("cmake") is None:
        raise SystemExit("cmake is missing; ./modicum --help installs what a build needs")
    # Only the path of this interpreter: an isolated build has others before it.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if not (pathlib.Path(folder) / "CMakeCache.txt").exists():
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release",
             "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", "-DMODICUM_PYTHON=ON",
             f"-DPython_EXECUTABLE={sys.executable}"], check=True, env=environment)
    subprocess.run(["cmake", "--build", folder, "--target", "modicum_python", "--parallel"],
                   check=True, env=environment)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    extension = pathlib.Path(folder) / "python" / NAME / f"_core{suffix}"
    if not extension.exists():
        raise SystemExit(f"{folder} has no {extension.name}: it was built for another Python")
    return extension


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517. ``--config-settings build-dir=PATH`` keeps the build there, or takes what is there."""
    info = f"{NAME}-{_version()}.dist-info"
    kept = (config_settings or {}).get("build-dir")
    with tempfile.TemporaryDirectory() as fresh:
        extension = _build_extension(kept or fresh)
        files = {f"{NAME}/{extension.name}": extension.read_bytes()}
    for pattern in ("*.py", "*.pyi", "py.typed"):
        for source in sorted((ROOT / "python" / NAME).glob(pattern)):
            files[f"{NAME}/{source.name}"] = source.read_bytes()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n").encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nmodicum = modicum.__main__:main\n"
    record = "".join(_record_line(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{NAME}-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are those of the repository")
