#!/usr/bin/env python3
"""Runs Python tests on a package that is compiled with a sanitizer, and fails on any report.

    python tests/tools/sanitize.py thread             # data races: ThreadSanitizer
    python tests/tools/sanitize.py address            # freed memory, bounds: AddressSanitizer
    python tests/tools/sanitize.py thread -- -k lease # arguments for pytest

Needs a nightly Rust with `rust-src` (`rustup component add rust-src --toolchain nightly`), since
the standard library is compiled anew, and a C compiler to link an interpreter with the sanitizer's
runtime. The interpreter itself is not instrumented: what is seen are accesses by lexpool, and the
locks and allocations of all.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = "x86_64-unknown-linux-gnu"
RUNTIMES = {"thread": "tsan", "address": "asan"}

# The tests in which threads meet: leases, forks, streams, edits; and those in which objects end in
# unusual ways.
TESTS = [
    "tests/python/test_leases.py",
    "tests/python/test_forks.py",
    "tests/python/test_forks_beside_calls.py",
    "tests/python/test_pipe.py",
    "tests/python/test_threads.py",
    "tests/python/test_threads_editing.py",
    "tests/python/test_cycles.py",
    "tests/python/test_chains.py",
    "tests/python/test_recursion.py",
    "tests/interop/test_lent_tokens.py",
    "tests/interop/test_handle.py",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sanitizer", choices=RUNTIMES)
    parser.add_argument("--toolchain", default="nightly", help="a nightly Rust that has rust-src")
    parser.add_argument(
        "pytest", nargs="*", help="arguments for pytest beside the tests of threads and of ends"
    )
    args = parser.parse_args()
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print(f"sanitize: skipped, for this is not {TARGET}")
        return 0
    sysroot = output("rustc", f"+{args.toolchain}", "--print", "sysroot")
    if sysroot is None or not (Path(sysroot) / "lib/rustlib/src/rust").exists():
        print("sanitize: skipped, for there is no nightly Rust with rust-src; run")
        print(f"    rustup component add rust-src --toolchain {args.toolchain}")
        return 0
    folder = ROOT / "target" / f"sanitize-{args.sanitizer}"
    package = build(args, folder)
    program = interpreter(Path(sysroot), RUNTIMES[args.sanitizer], folder)
    return run(args, package, program, folder)


def output(*command: str) -> str | None:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def build(args: argparse.Namespace, folder: Path) -> Path:
    """Compiles the binding; gives a folder with the package in it."""
    flags = f"-Zsanitizer={args.sanitizer} -Cdebuginfo=line-tables-only"
    subprocess.run(
        ["cargo", f"+{args.toolchain}", "build", "--locked", "-Zbuild-std", "--target", TARGET]
        + ["--profile", "tested", "-p", "lexpool-py"],
        cwd=ROOT,
        env={
            **os.environ,
            "RUSTFLAGS": flags,
            "CARGO_TARGET_DIR": str(folder),
            "PYO3_PYTHON": sys.executable,
        },
        check=True,
    )
    package = folder / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        ROOT / "py/lexpool",
        package / "lexpool",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    shutil.copy(folder / TARGET / "tested/lib_core.so", package / "lexpool/_core.abi.so")
    suffix = output(
        sys.executable, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    )
    (package / "lexpool/_core.abi.so").rename(package / f"lexpool/_core{suffix}")
    return package


LAUNCHER = """
int Py_BytesMain(int, char **);
int main(int argc, char **argv) { return Py_BytesMain(argc, argv); }
"""


def interpreter(sysroot: Path, name: str, folder: Path) -> Path:
    """A program that is this interpreter with the sanitizer's runtime linked in, in a copy of this
    environment.

    The runtime has to be in the program itself: it takes the place of the C library's functions,
    and it comes with the compiler as an archive that is of no use in a shared library.
    """
    (archive,) = sysroot.glob(f"lib/rustlib/{TARGET}/lib/librustc-*_rt.{name}.a")
    root = folder / "python"
    shutil.rmtree(root, ignore_errors=True)
    (root / "bin").mkdir(parents=True)
    (root / "launcher.c").write_text(LAUNCHER)
    library = sysconfig.get_config_var("LIBDIR")
    program = root / "bin" / "python3"
    subprocess.run(
        ["cc", "-rdynamic", "-o", str(program), str(root / "launcher.c")]
        + ["-Wl,--whole-archive", str(archive), "-Wl,--no-whole-archive"]
        + [
            f"-L{library}",
            f"-Wl,-rpath,{library}",
            f"-lpython{sysconfig.get_config_var('LDVERSION')}",
        ]
        + ["-lpthread", "-ldl", "-lm", "-lrt", "-lresolv", "-lstdc++"],
        check=True,
    )
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", root)
    (root / "lib").symlink_to(Path(sys.prefix) / "lib")
    return program


def run(args: argparse.Namespace, package: Path, program: Path, folder: Path) -> int:
    """Runs the tests; gives 1 for reports, else pytest's code."""
    logs = folder / "reports"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    options = f"log_path={logs}/report:exitcode=66"
    own = {
        # A child of a fork goes on, and threads of the parent are not waited for.
        "TSAN_OPTIONS": f"{options}:die_after_fork=0:report_signal_unsafe=0:atexit_sleep_ms=0:history_size=4",
        # Python keeps much until it ends; what is looked for is memory that is used wrongly. Freed
        # memory is kept aside, but not so much of it that tests of bounded memory fail. The depth
        # of calls is measured by addresses of locals, which have to be on the real stack.
        "ASAN_OPTIONS": f"{options}:detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16"
        ":detect_stack_use_after_return=0",
    }
    env = {**os.environ, **own, "PYTHONPATH": str(package), "PYTHONMALLOC": "malloc"}
    # A fixed layout of memory, which ThreadSanitizer's shadow needs.
    python = ["setarch", "-R", str(program)]
    check = "import lexpool; print(lexpool.__file__)"
    found = subprocess.run(
        [*python, "-c", check], env=env, capture_output=True, text=True, check=False
    )
    if str(package) not in found.stdout:
        print(
            f"sanitize: the package does not load\n{found.stdout}\n{found.stderr}", file=sys.stderr
        )
        return 1
    command = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, *args.pytest]
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    reports = [path for path in sorted(logs.iterdir()) if path.stat().st_size]
    for path in reports:
        print(path.read_text(errors="replace"))
    print(f"sanitize: {len(reports)} processes with reports of the {args.sanitizer} sanitizer")
    return 1 if reports else done.returncode


if __name__ == "__main__":
    sys.exit(main())
