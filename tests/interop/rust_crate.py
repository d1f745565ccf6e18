"""The crates of this folder, built."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def built(target: str, profile: str, *options: str) -> str:
    """Builds crates of the workspace, as options say, and gives the path of a library of theirs."""
    command = ["cargo", "build", "--locked", "--quiet", "--profile", profile]
    done = subprocess.run(
        [*command, *options, "--message-format=json"],
        cwd=ROOT,
        # As in the Makefile: for another interpreter the binding would be compiled again.
        env=os.environ | {"PYO3_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    (library,) = (
        name
        for message in messages
        if message.get("target", {}).get("name") == target
        for name in message.get("filenames", ())
        if name.endswith((".rlib", ".so", ".dylib", ".dll"))
    )
    return library


def rust_kernels(profile: str = "dev"):
    """Builds and imports the crate in `rust/`."""
    library = built("rust_kernels", profile, "-p", "lexpool-interop")
    loader = importlib.machinery.ExtensionFileLoader("rust_kernels", library)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("rust_kernels", loader)
    )
    loader.exec_module(module)
    return module
