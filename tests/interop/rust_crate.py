"""The crate in `rust/`, built and imported."""

import importlib.machinery
import importlib.util
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def rust_kernels():
    """Builds and imports the crate in `rust/`."""
    command = ["cargo", "build", "--locked", "--release", "--quiet", "-p", "lexpool-interop"]
    built = subprocess.run(
        [*command, "--message-format=json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    (library,) = (
        name
        for message in messages
        if message.get("target", {}).get("name") == "rust_kernels"
        for name in message.get("filenames", ())
    )
    loader = importlib.machinery.ExtensionFileLoader("rust_kernels", library)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("rust_kernels", loader)
    )
    loader.exec_module(module)
    return module
