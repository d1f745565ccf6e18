"""An environment for AArch64 on another processor: Debian's CPython, run by qemu-user."""

import shutil
import sys
from pathlib import Path

from packages import ROOT

from conftest import CLEAN, run

FOLDER = ROOT / "target/aarch64"


def interpreter() -> list[str] | None:
    """Returns the command that runs CPython; `None` without `qemu-aarch64` or Debian's apt. The
    packages are downloaded and unpacked once, without root; nothing is installed.
    """
    emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if emulator is None or shutil.which("apt-get") is None:
        return None
    system = FOLDER / "system"
    if not system.exists():
        # The name is given last, so that a run that was stopped leaves no half of a system.
        part = FOLDER / "part"
        shutil.rmtree(part, ignore_errors=True)
        unpack("python3", part)
        part.rename(system)
    return [emulator, "-L", str(system), str(system / "usr/bin/python3")]


def unpack(package: str, system: Path) -> None:
    """Unpacks a package of Debian for AArch64 with all that it depends on."""
    for name in ("state", "lists/partial", "cache/archives/partial"):
        (FOLDER / name).mkdir(parents=True, exist_ok=True)
    (FOLDER / "status").write_text("")
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "",
        "Dir::State": FOLDER / "state",
        "Dir::State::lists": FOLDER / "lists",
        "Dir::State::status": FOLDER / "status",
        "Dir::Cache": FOLDER / "cache",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
    run(*apt, "update")
    run(*apt, "install", "--download-only", "--no-install-recommends", "-y", package)
    for archive in (FOLDER / "cache/archives").glob("*.deb"):
        run("dpkg-deb", "-x", archive, system)


def version_of(python: list[str]) -> str:
    return run(*python, "-c", "import sys; print(*sys.version_info[:2], sep='.')").strip()


class EmulatedEnvironment:
    """A folder with a wheel and what it depends on, and an empty one to work in."""

    def __init__(self, python: list[str], wheel: Path, folder: Path) -> None:
        self.python, self.folder = python, folder / "work"
        self.packages = folder / "packages"
        self.folder.mkdir()
        version = version_of(python)
        # pip is that of this machine, and the packages are for the other one.
        tags = ("manylinux2014_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")
        target = [f"--platform={tag}" for tag in tags]
        target += [f"--python-version={version}", "--only-binary=:all:", "--target", self.packages]
        run(sys.executable, "-m", "pip", "install", "--no-cache-dir", *target, wheel)

    def run(self, command: str, *words: object) -> str:
        module = [] if command == "python" else ["-m", command]
        variables = CLEAN | {"PYTHONPATH": str(self.packages)}
        return run(*self.python, *module, *words, cwd=self.folder, env=variables)
