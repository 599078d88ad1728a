# SPDX-License-Identifier: MIT
"""A PEP 517 backend that lets CMake build the extension and puts it into a wheel. It needs nothing but Python.

The build is that of build/release, which `./rigor.sh` uses too, where its Python is the one that installs; else
build/wheel-ABI. Another folder: the environment variable RIGOR_BUILD_DIR.
"""
from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def _project() -> dict[str, str]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = {key: re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)[1] for key in ("name", "description")}
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    project["version"] = re.search(r"^project\(rigor VERSION ([0-9.]+)", cmake, re.MULTILINE)[1]
    return project


def _metadata() -> str:
    project = _project()
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\n"
            "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\n")


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")


def _ninja_knows(build: pathlib.Path) -> bool:
    """Whether the build makes an extension for this Python."""
    file = build / "build.ninja"
    return file.exists() and f"_rigor{SUFFIX}" in file.read_text(errors="replace")


def _build() -> pathlib.Path:
    """@returns the folder of the finished package."""
    given = os.environ.get("RIGOR_BUILD_DIR")
    build = pathlib.Path(given).resolve() if given else ROOT / "build" / "release"
    if not _ninja_knows(build):
        if not given and (build / "build.ninja").exists():
            build = ROOT / "build" / f"wheel-{_tag()}"
        _run("cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
             f"-DPython3_EXECUTABLE={sys.executable}",
             "-DRIGOR_BUILD_TESTS=OFF", "-DRIGOR_BUILD_BENCH=OFF", "-DRIGOR_BUILD_EXAMPLES=OFF")
    _run("cmake", "--build", str(build), "--target", "rigor_python")
    return build / "python" / "rigor"


def _info() -> str:
    project = _project()
    return f"{project['name']}-{project['version']}.dist-info"


def get_requires_for_build_wheel(config_settings=None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings=None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None) -> str:
    folder = pathlib.Path(metadata_directory) / _info()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(_metadata(), encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    package = _build()
    files = {f"rigor/{path.name}": path.read_bytes() for path in sorted(package.iterdir())
             if path.suffix in (".py", ".pyi") or path.name == "py.typed" or path.name == f"_rigor{SUFFIX}"}
    info = _info()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rigor\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    rows = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
            for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    project = _project()
    name = f"{project['name']}-{project['version']}-{_tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return name


def build_sdist(sdist_directory, config_settings=None) -> str:
    project = _project()
    top = f"{project['name']}-{project['version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{top}.tar.gz", "w:gz") as archive:
        for name in listed.decode().split("\0"):
            if name and (ROOT / name).is_file():
                archive.add(ROOT / name, f"{top}/{name}")
        data = _metadata().encode()
        entry = tarfile.TarInfo(f"{top}/PKG-INFO")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return f"{top}.tar.gz"
