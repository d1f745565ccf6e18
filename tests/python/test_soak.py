"""The tool that runs a service for long: a run of seconds, and what it calls growth."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import soak

SOAK = Path(soak.__file__)


@pytest.mark.skipif(sys.platform != "linux", reason="measures by /proc")
@pytest.mark.parametrize(("threads", "minutes"), [(2, 0.1), (16, 0.05)])
def test_a_service_on_threads_answers_all_requests(threads, minutes, tmp_path):
    # Seconds are less than a warm-up, so memory may still grow; files and threads may not.
    command = [sys.executable, str(SOAK), "--minutes", str(minutes), "--threads", str(threads)]
    command += ["--tolerance", "100", "--json", str(tmp_path / "samples.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    assert " requests, 0 failed, 0 measures grew, " in last
    samples = json.loads((tmp_path / "samples.json").read_text())
    assert samples[-1]["requests"] > samples[0]["requests"] > 0


def hour(**growing: float) -> list[dict[str, float]]:
    """Samples of an hour, in which a measure grows by a share of what it is, each hour."""
    usual = {"resident": 1e8, "heap": 1e7, "blocks": 1e5, "files": 6, "mappings": 2, "threads": 5}
    return [
        {name: value * (1 + growing.get(name, 0) * at / 3600) for name, value in usual.items()}
        | {"seconds": at, "reloaded": at % 60 == 0}
        for at in range(15, 3601, 15)
    ]


def test_what_stays_has_not_grown():
    assert soak.growth(hour()) == []
    wavy = hour()
    for number, sample in enumerate(wavy):
        sample["resident"] *= 1 + 0.015 * (number % 3 - 1)
    assert soak.growth(wavy) == []


@pytest.mark.parametrize("name", [*soak.MEASURES, *soak.COUNTS])
def test_what_grows_slowly_has_grown(name):
    found = soak.growth(hour(**{name: 0.1}))
    assert found and {line.split()[0] for line in found} == {name}


@pytest.mark.parametrize("name", soak.MEASURES)
def test_a_peak_is_growth(name):
    samples = hour()
    samples[-9][name] *= 1.2
    assert {line.split()[0] for line in soak.growth(samples)} == {name}


def test_what_grows_until_the_next_reload_has_not_grown():
    samples = hour()
    for sample in samples:
        sample["heap"] *= 1 + sample["seconds"] % 60 / 100
    assert any(not sample["reloaded"] for sample in samples) and soak.growth(samples) == []


def test_growth_in_the_warm_up_is_none():
    samples = hour()
    for sample in samples[: len(samples) // 7]:
        sample["resident"] *= 2
    assert soak.growth(samples) == []
