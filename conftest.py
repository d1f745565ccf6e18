"""For all tests: signals, and the examples in Markdown files, which are run as tests."""

import signal

import pytest

# A shell without job control starts background jobs with SIGINT ignored, which children inherit: a
# test that presses Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(request):
    """Examples write files where they are run."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
