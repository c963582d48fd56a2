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
import time
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "modicum"
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"


def _version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(modicum VERSION ([0-9.]+)", text).group(1)


def _tag():
    # Not a tag of manylinux: the module takes its libraries from the system (Requires-External).
    return f"{PYTHON}-{PYTHON}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _system_libraries(extension):
    """Debian's packages with the shared libraries of the module; none where nobody can tell."""
    if extension is None or shutil.which("dpkg-shlibdeps") is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        control = pathlib.Path(folder) / "debian" / "control"
        control.parent.mkdir()
        control.write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
        done = subprocess.run(["dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-e{extension}"],
                              cwd=folder, capture_output=True, text=True)
    found = re.search(r"^shlibs:Depends=(.*)$", done.stdout, re.M)
    return found.group(1).split(", ") if found else []


def _metadata(extension):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {_version()}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"]
        lines += [f"Requires-Dist: {each} ; extra == '{extra}'" for each in needed]
    lines += [f"Requires-External: {each}" for each in _system_libraries(extension)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    return "\n".join(lines)


def _require_packages():
    """What a build needs, as ./modicum does it: installed for root, named to others."""
    script = 'root=$1; mkdir -p "$root/build"; source "$root/scripts/prepare.sh"; ' \
             'require_packages "${run_packages[@]}" "${python_packages[@]}"'
    if subprocess.run(["bash", "-c", script, "bash", ROOT], stdin=subprocess.DEVNULL).returncode != 0:
        raise SystemExit("packages that a build needs are missing")


def _build_extension(folder):
    """The extension module for the Python that runs this, from `folder` or from one of our own."""
    # Only the path of this interpreter: an isolated build has others before it.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if folder is None:
        _require_packages()
        folder = ROOT / "build" / f"wheel-{PYTHON}"
        interpreter = os.path.realpath(sys.executable)  # the environment around it may be gone next time
        subprocess.run(["cmake", "--preset", "python", "-B", folder, f"-DPython_EXECUTABLE={interpreter}"],
                       check=True, env=environment, cwd=ROOT)
    folder = pathlib.Path(folder)
    subprocess.run(["cmake", "--build", folder, "--target", "modicum_python", "--parallel"],
                   check=True, env=environment)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    extension = folder / "python" / NAME / f"_core{suffix}"
    if not extension.exists():
        raise SystemExit(f"{folder} has no {extension.name}: it was built for another Python")
    return extension


def _stripped(extension):
    """The bytes of the module without the names that only a debugger asks for."""
    if shutil.which("strip") is None:
        return extension.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        smaller = pathlib.Path(folder) / extension.name
        subprocess.run(["strip", "--strip-unneeded", "-o", smaller, extension], check=True)
        return smaller.read_bytes()


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def _archive(path, files):
    """The same files make the same bytes, whenever and by whomever they are packed."""
    moment = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)  # zip begins in 1980
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(moment)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            archive.writestr(entry, content)


def _information(extension):
    """The files that describe the package, in a folder of their own."""
    return {
        "METADATA": _metadata(extension).encode(),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
        "entry_points.txt": b"[console_scripts]\nmodicum = modicum.__main__:main\n"}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """PEP 517: what pip wants to know before the build; libraries of the system are known after it."""
    info = f"{NAME}-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory, info)
    folder.mkdir()
    for name, content in _information(None).items():
        (folder / name).write_bytes(content)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517. ``--config-settings build-dir=PATH`` takes what was configured and built there."""
    info = f"{NAME}-{_version()}.dist-info"
    extension = _build_extension((config_settings or {}).get("build-dir"))
    files = {f"{NAME}/{extension.name}": _stripped(extension)}
    for pattern in ("*.py", "*.pyi", "py.typed"):
        for source in sorted((ROOT / "python" / NAME).glob(pattern)):
            files[f"{NAME}/{source.name}"] = source.read_bytes()
    files.update({f"{info}/{name}": content for name, content in _information(extension).items()})
    record = "".join(_record_line(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{NAME}-{_version()}-{_tag()}.whl"
    _archive(os.path.join(wheel_directory, wheel), files)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("scripts/make_packages.sh makes the source archive")
