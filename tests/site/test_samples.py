"""Every code sample of the site runs, and prints what its page says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_samples import Failure, Runner, pages, samples

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "interop"))

from rust_crate import built

PAGES = {str(page.relative_to(ROOT / "docs/src/content/docs")): page for page in pages(ROOT)}
WITH_SAMPLES = [name for name, page in PAGES.items() if samples(page.read_text())]


@pytest.fixture(scope="session")
def rlibs() -> Path:
    """Builds the crate as a page's samples use it, and says where it lies."""
    # As `make test-docs` does: with other features most would be compiled again.
    return Path(built("lexpool", "dev", "--all-features", "--lib", "--tests")).parent


@pytest.mark.parametrize("name", WITH_SAMPLES)
def test_the_samples_of_a_page_print_what_it_says(name, tmp_path, rlibs):
    page = PAGES[name]
    script = Path(__file__).with_name("page_samples.py")
    # The interpreter's own commands (cython, pip's scripts) come first, as in an activated
    # environment.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, script, page, tmp_path, rlibs],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path, "LEXPOOL_SOURCE": str(ROOT)},
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run(page: str, folder: Path) -> None:
    Runner(folder, folder).run(samples(page))


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ('```python\nprint(1)\n```\n```text title="Output"\n2\n```\n', "the page says"),
        ("```python\nprint(1)\n```\n", "the page says"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```sh\nfalse\n```\n", "exit code 1"),
        ("```cobol\nSTOP RUN.\n```\n", "does not run"),
    ],
)
def test_a_sample_that_does_something_else_is_a_failure(page, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    with pytest.raises(Failure, match=says):
        run(page, tmp_path)


def test_an_output_belongs_to_a_sample():
    with pytest.raises(ValueError, match="without a sample"):
        samples('```text title="Output"\n1\n```\n')


def test_blocks_of_a_page_share_names_and_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    run(
        '```python title="one.py"\nONE = 1\n```\n'
        "   ```python\n   import one\n   ```\n"
        '```python\nprint(one.ONE, ...)\n```\n```text title="Output"\n1 ...\n```\n'
        '```sh\ncat one.py\n```\n```text title="Output"\nONE = 1\n```\n',
        tmp_path,
    )
