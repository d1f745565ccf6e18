#!/usr/bin/env python3
"""Runs tests of Rust and Python that are compiled with a sanitizer, and fails on any report.

    python tests/tools/sanitize.py thread         # data races: ThreadSanitizer
    python tests/tools/sanitize.py address        # freed memory, bounds, leaks: AddressSanitizer
    python tests/tools/sanitize.py thread --rust  # the Rust tests alone; --python: Python's
    python tests/tools/sanitize.py thread --python -- -k lease    # arguments for pytest

Needs a nightly Rust, and a C compiler to link an interpreter with the sanitizer's runtime. The
standard library is compiled anew, from `rust-src` (`rustup component add rust-src --toolchain
nightly`); without that, accesses by the standard library itself are not checked for their
addresses, and ThreadSanitizer, which would report its locks, does not run. The interpreter itself
is not instrumented: what is seen are accesses by lexpool, and the locks and allocations of all.
Leaks are looked for in Rust's tests, since Python keeps much until it ends.
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

# The crates with unsafe code, and those in which threads meet.
RUST = [
    "lexpool-pool",
    "lexpool-structs",
    "lexpool-threads",
    "lexpool-plugin",
    "lexpool-nn",
    "lexpool",
    "lexpool-ops",
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sanitizer", choices=RUNTIMES)
    parser.add_argument("--toolchain", default="nightly", help="a nightly Rust that has rust-src")
    parser.add_argument("--rust", action="store_true", help="run the Rust tests only")
    parser.add_argument("--python", action="store_true", help="run the Python tests only")
    parser.add_argument(
        "pytest", nargs="*", help="arguments for pytest beside the tests of threads and of ends"
    )
    args = parser.parse_args()
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        print(f"sanitize: skipped, for this is not {TARGET}")
        return 0
    sysroot = output("rustc", f"+{args.toolchain}", "--print", "sysroot")
    args.sources = sysroot is not None and (Path(sysroot) / "lib/rustlib/src/rust").exists()
    if sysroot is None or (args.sanitizer == "thread" and not args.sources):
        print("sanitize: skipped, for there is no nightly Rust with rust-src; run")
        print(f"    rustup component add rust-src --toolchain {args.toolchain}")
        return 0
    if not args.sources:
        print("sanitize: rust-src is missing, so the standard library is not checked")
    folder = ROOT / "target" / f"sanitize-{args.sanitizer}"
    codes = []
    if not args.python:
        codes.append(run_rust(args, folder))
    if not args.rust:
        package = build(args, folder)
        program = interpreter(Path(sysroot), RUNTIMES[args.sanitizer], folder)
        codes.append(run_python(args, package, program, folder))
    return max(codes)


def output(*command: str) -> str | None:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def cargo(
    args: argparse.Namespace, command: str, options: list[str], folder: Path, own: dict[str, str]
) -> subprocess.CompletedProcess[bytes]:
    """Runs a command of Cargo's with the sanitizer on, in a folder of its own."""
    flags = f"-Zsanitizer={args.sanitizer} -Cdebuginfo=line-tables-only"
    target = ["--locked", *(["-Zbuild-std"] if args.sources else []), "--target", TARGET]
    built = {
        "RUSTFLAGS": flags,
        "CARGO_TARGET_DIR": str(folder),
        "PYO3_PYTHON": sys.executable,
    }
    words = ["cargo", f"+{args.toolchain}", command, *target, *options]
    return subprocess.run(words, cwd=ROOT, env={**os.environ, **built, **own}, check=False)


def run_rust(args: argparse.Namespace, folder: Path) -> int:
    """Runs the Rust tests; gives Cargo's code, which is not 0 after a report."""
    # A failed allocation is an error of lexpool's.
    own = {
        "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
        "TSAN_OPTIONS": "halt_on_error=1:history_size=4:allocator_may_return_null=1",
    }
    crates = [word for crate in RUST for word in ("-p", crate)]
    options = [*crates, "--all-features", "--lib", "--tests", "--no-fail-fast"]
    code = cargo(args, "test", options, folder, own).returncode
    print(f"sanitize: Rust tests ended with code {code}", flush=True)
    return code


def build(args: argparse.Namespace, folder: Path) -> Path:
    """Compiles the binding; gives a folder with the package in it."""
    options = ["-p", "lexpool-py"]
    cargo(args, "build", options, folder, {}).check_returncode()
    package = folder / "package"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        ROOT / "py/lexpool",
        package / "lexpool",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    shutil.copy(folder / TARGET / "debug/lib_core.so", package / "lexpool/_core.abi.so")
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


def run_python(args: argparse.Namespace, package: Path, program: Path, folder: Path) -> int:
    """Runs the tests; gives 1 for reports, else pytest's code."""
    logs = folder / "reports"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    options = f"log_path={logs}/report:exitcode=66"
    own = {
        # A child of a fork goes on, and threads of the parent are not waited for.
        "TSAN_OPTIONS": f"{options}:die_after_fork=0:report_signal_unsafe=0:atexit_sleep_ms=0:history_size=4"
        ":allocator_may_return_null=1",
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
