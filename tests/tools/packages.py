"""Builds the packages of the Python side into `dist`: a wheel for each CPython, and the sources.

    python tests/tools/packages.py          for each CPython that tests/tools/pythons.py finds
    python tests/tools/packages.py --profile dev 3.13
                                            for one, and without optimizing across crates

Wheels for Linux are linked by zig (the package `ziglang`) against the symbols of glibc 2.17, the
oldest that Rust supports, whatever this machine has. Where Rust's standard library for AArch64 is
installed, wheels for it are compiled too.

Two builds of a commit by the same tools give the same bytes, in whatever folder: times are those of
the commit, and names of folders are replaced by fixed ones. Each wheel contains a bill of materials
(CycloneDX) in `dist-info/sboms`, which maturin writes.
"""

import argparse
import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from pythons import VERSIONS, find

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
ARM = "aarch64-unknown-linux-gnu"


def output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def interpreter(version: str) -> str | None:
    """Returns the path of a CPython of a version, or `None`. The one that runs this needs no name
    on PATH, which it lacks on Windows.
    """
    own = ".".join(map(str, sys.version_info[:2]))
    return find(version) or (getattr(sys, "_base_executable", None) if version == own else None)


def time() -> str:
    """Returns the time for what is in the archives: that of the commit."""
    return os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct")


def environment() -> dict[str, str]:
    """Returns the variables under which a build depends on nothing but the sources and tools."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    version = output("rustc", "-vV").splitlines()
    commit = next(line.split()[1] for line in version if line.startswith("commit-hash:"))
    library = Path(output("rustc", "--print", "sysroot")) / "lib/rustlib/src/rust"
    # The last one that fits counts.
    names = {cargo: "cargo", library: f"/rustc/{commit}", ROOT: "lexpool", target: "target"}
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in names.items()]
    return {
        **os.environ,
        "SOURCE_DATE_EPOCH": time(),
        # maturin finds zig as a module of the first Python there.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        # A list that is separated so may contain spaces.
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags),
        # Parts that were compiled in another order may be cut in other places.
        "CARGO_INCREMENTAL": "0",
    }


def targets() -> list[list[str]]:
    """Returns the options for each system that wheels are built for here."""
    if platform.system() != "Linux":
        return [[]]
    linked = ["--zig", "--compatibility", "manylinux2014"]
    host = platform.machine()
    if host == "aarch64":
        return [linked]
    library = output("rustc", "--print", "target-libdir", "--target", ARM)
    if not any(Path(library).glob("libstd-*")):
        print(f"packages: no wheels for {ARM}, for which run: rustup target add {ARM}")
        return [linked]
    return [linked, [*linked, "--target", ARM]]


def maturin(command: str, *options: str) -> None:
    program = Path(sys.executable).with_name("maturin")
    words = [program, command, "--manifest-path", "py/Cargo.toml", "--out", DIST, *options]
    subprocess.run(words, cwd=ROOT, env=environment(), check=True)


def replace_folder(wheel: Path) -> None:
    """Gives the folder of the sources another name in the bill of materials of a wheel, in which
    crates have addresses.
    """
    with zipfile.ZipFile(wheel) as archive:
        contents = {info: archive.read(info) for info in archive.infolist()}
    hashes = {}
    for info, content in contents.items():
        if "/sboms/" in info.filename:
            contents[info] = content.replace(ROOT.as_uri().encode(), b"file:///lexpool")
            digest = hashlib.sha256(contents[info]).digest()
            hashed = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
            hashes[info.filename] = f"{info.filename},sha256={hashed},{len(contents[info])}"
    record = next(info for info in contents if info.filename.endswith(".dist-info/RECORD"))
    lines = contents[record].decode().splitlines()
    lines = [hashes.get(line.split(",")[0], line) + "\n" for line in lines]
    contents[record] = "".join(lines).encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for info, content in contents.items():
            archive.writestr(info, content, compresslevel=9)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=", ".join(VERSIONS))
    parser.add_argument("--profile", default="release", help="Cargo's (default: release)")
    args = parser.parse_args()
    found = {version: interpreter(version) for version in args.versions or VERSIONS}
    missing = [version for version, program in found.items() if program is None]
    if args.versions and missing:
        sys.exit(f"packages: no CPython {', '.join(missing)} on PATH or in pyenv")
    if missing:
        print(f"packages: no wheels for CPython {', '.join(missing)}, which this machine lacks")

    # Packages of another version would be tested and uploaded with these.
    shutil.rmtree(DIST, ignore_errors=True)
    # maturin would pack what Python compiled here, with the names of this machine's folders.
    for cache in (ROOT / "py/lexpool").rglob("__pycache__"):
        shutil.rmtree(cache)
    programs = [program for program in found.values() if program is not None]
    for options in targets():
        maturin("build", "--locked", "--profile", args.profile, *options, "-i", *programs)
    for wheel in DIST.glob("*.whl"):
        replace_folder(wheel)
    maturin("sdist")
    for package in sorted(DIST.iterdir()):
        print(f"packages: {package.name}, {package.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
