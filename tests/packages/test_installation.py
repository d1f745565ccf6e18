"""Each package installs in an empty environment and does there what the README says."""

import os
import re

import pytest
from aarch64 import EmulatedEnvironment, interpreter, version_of
from packages import ROOT

from conftest import CLEAN, PROFILE, WHEELS, Environment, program_of, run, version

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")

FOR_ARM = [wheel for wheel in WHEELS if "aarch64" in wheel.name]

# Python's examples in the README, of which there is at least one.
EXAMPLES = f"""
import doctest
failed, attempted = doctest.testfile({str(README)!r}, module_relative=False, encoding="utf-8")
assert attempted and not failed, (failed, attempted)
"""


def check(environment: Environment | EmulatedEnvironment) -> None:
    environment.run("python", "-c", EXAMPLES)
    version = environment.run("python", "-c", "import lexpool; print(lexpool.__version__)")
    assert environment.run("lexpool", "--version") == f"lexpool {version}"
    (environment.folder / "a.txt").write_text("She isn't here.\n", encoding="utf-8")
    environment.run("lexpool", "tokenize", "a.txt", "-o", "a.jsonl")
    assert "n't" in (environment.folder / "a.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_a_wheel_installs_and_runs_as_the_readme_says(wheel, tmp_path):
    environment = Environment(program_of(wheel), tmp_path)
    (options,) = re.findall(r"pip install (.* lexpool)$", TEXT, re.MULTILINE)
    environment.install(*options.split(), PIP_NO_INDEX="1", PIP_ONLY_BINARY=":all:")
    check(environment)


@pytest.mark.parametrize("wheel", FOR_ARM, ids=lambda wheel: wheel.name)
def test_a_wheel_for_aarch64_runs_as_the_readme_says_in_an_emulator(wheel, tmp_path):
    python = interpreter()
    if python is None:
        pytest.skip("needs Debian and qemu-aarch64: apt-get install qemu-user")
    if version(wheel) != version_of(python):
        pytest.skip(f"the CPython of this Debian is {version_of(python)}")
    check(EmulatedEnvironment(python, wheel, tmp_path))


def test_the_sources_install_with_pip_and_run_the_readme(environment, sources):
    # One folder for the compiled dependencies of all such runs.
    folder = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    built = {"CARGO_TARGET_DIR": folder, "MATURIN_PEP517_ARGS": f"--profile {PROFILE}"}
    environment.install(sources, **built)
    check(environment)


def test_the_crate_added_to_a_new_program_runs_the_readme(tmp_path):
    (example,) = re.findall(r"^```rust\n(.*?)^```", TEXT, re.M | re.S)
    body = example.replace("# Ok::", "Ok::")
    run("cargo", "init", "--quiet", "--vcs=none", "--name=program", tmp_path)
    run("cargo", "add", "--quiet", "--path", ROOT / "core", cwd=tmp_path)
    main = f"fn main() -> Result<(), lexpool::Error> {{\n{body}}}\n"
    (tmp_path / "src/main.rs").write_text(main, encoding="utf-8")
    shared = CLEAN | {"CARGO_TARGET_DIR": str(ROOT / "target/program")}
    run("cargo", "run", "--quiet", cwd=tmp_path, env=shared)
