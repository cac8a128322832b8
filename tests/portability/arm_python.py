"""Make an aarch64 Python that runs on another processor, by emulation.

    python tests/portability/arm_python.py [FOLDER]        FOLDER: build/arm
    build/arm/python tests/portability/digests.py arm.json

Needs Debian 12 or a relative of it, network, and `qemu-user-static` (or `qemu-user`); no rights of
an administrator. Debian's arm64 Python is downloaded and unpacked below FOLDER, and this project's
dependencies as wheels. Running is 20 to 50 times slower than native. QEMU flushes tiny results
before rounding on every processor, as Arm does and x86 does not, so it shows nothing about x86.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
DEBIAN_PYTHON = "3.11"
GLIBC = ("2014", "_2_27", "_2_28")  # Debian 12 has 2.36


def emulator() -> str | None:
    return next(filter(None, map(shutil.which, EMULATORS)), None)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else PROJECT / "build/arm").resolve()
    program = emulator()
    if program is None:
        sys.exit(f"no {EMULATORS[0]}: apt-get install qemu-user-static")
    unpack_debian(folder)
    unpack_wheels(folder)
    script = folder / "python"
    script.write_text(
        "#!/bin/sh\n"
        f'export QEMU_LD_PREFIX="{folder}/root" PYTHONDONTWRITEBYTECODE=1\n'
        f'export PYTHONPATH="{folder}/site${{PYTHONPATH:+:$PYTHONPATH}}"\n'
        f'exec {program} "{folder}/root/usr/bin/python{DEBIAN_PYTHON}" "$@"\n'
    )
    script.chmod(0o755)
    subprocess.run(
        [script, "-c", "import llvmlite, numpy, platform; print(platform.machine())"], check=True
    )


def unpack_debian(folder: Path) -> None:
    """Let apt find and download arm64 packages, in folders of its own; unpack them."""
    root = folder / "root"
    if (root / f"usr/bin/python{DEBIAN_PYTHON}").exists():
        return
    for name in ("state/lists/partial", "cache/archives/partial", "root"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    status = folder / "state/status"
    status.touch()  # nothing is installed: all that Python needs is downloaded
    options = {
        "APT::Architecture": "arm64", "APT::Architectures": "arm64", "Dir::State": folder / "state",
        "Dir::State::status": status, "Dir::Cache": folder / "cache", "Debug::NoLocking": "1",
        "APT::Install-Recommends": "0", "APT::Sandbox::User": "",
    }  # fmt: skip
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    subprocess.run([*apt, "update"], check=True)
    wanted = [f"python{DEBIAN_PYTHON}", "libstdc++6"]  # llvmlite and NumPy want the latter
    subprocess.run([*apt, "install", "-y", "--download-only", *wanted], check=True)
    for package in sorted((folder / "cache/archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)


def unpack_wheels(folder: Path) -> None:
    """Download the project's dependencies for arm64, and what its tests need."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    tools = [d for d in project["optional-dependencies"]["dev"] if re.match("pytest|hypothesis", d)]
    platforms = [f"--platform=manylinux{glibc}_aarch64" for glibc in (*GLIBC, "_2_17")]
    wheels = folder / "wheels"
    subprocess.run(
        [
            sys.executable, "-m", "pip", "download", "-q", "--only-binary=:all:",
            f"--python-version={DEBIAN_PYTHON}", *platforms, "--platform=any", f"--dest={wheels}",
            *project["dependencies"], *tools,
        ],
        check=True,
    )  # fmt: skip
    for wheel in sorted(wheels.glob("*.whl")):
        zipfile.ZipFile(wheel).extractall(folder / "site")


if __name__ == "__main__":
    main()
