"""For the examples in Markdown files, which are run as tests."""

import pytest


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(request):
    """Examples write files where they are run."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
