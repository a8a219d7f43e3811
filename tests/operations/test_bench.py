"""The parts of the benchmark that do not measure: ratios, picture, judgement of a soak, and one short run."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import requests

from bench import load, picture, soak
from bench.processes import ROOT, stub
from bench.run import with_ratios


def row(system: str, clients: int, calls: float, cpu: float) -> dict[str, object]:
    return {
        "system": system,
        "delay": 300,
        "clients": clients,
        "callsPerSecond": calls,
        "cpuMillisecondsPerCall": cpu,
    }


def test_ratios_are_to_the_floor_of_the_same_load() -> None:
    rows = with_ratios([row("floor", 64, 200, 0.5), row("floor", 256, 800, 0.8), row("sqlite", 256, 720, 1.4)])
    assert (rows[2]["callsToFloor"], rows[2]["cpuToFloor"]) == (0.9, 1.75)
    assert (rows[0]["callsToFloor"], rows[0]["cpuToFloor"]) == (1.0, 1.0)


def test_the_picture_has_every_row_twice() -> None:
    rows = [row("floor", 64, 200, 0.5), row("sqlite", 64, 190, 1.0), row("postgresql", 64, 180, 1.1)]
    document = {"server": "gunicorn", "workers": 4, "threads": 128, "processors": 2, "rows": rows}
    tree = ElementTree.fromstring(picture.draw(document))
    bars = [item for item in tree.iter("{http://www.w3.org/2000/svg}rect") if item.get("height") == "12"]
    # Three of the legend, three of each panel.
    assert len(bars) == 9


@pytest.mark.parametrize(
    ("name", "values", "wrong"),
    [
        ("memory_mib", [270, 275, 280, 278], False),
        ("memory_mib", [270, 275, 330, 380], True),
        ("threads", [146, 146, 148, 146], False),
        ("threads", [146, 146, 180, 200], True),
        ("sockets", [150, 270, 280, 300], False),
        ("sockets", [150, 270, 400, 500], True),
    ],
)
def test_a_soak_tells_growth_from_noise(name: str, values: list[float], wrong: bool) -> None:
    flat = {"memory_mib": 100.0, "threads": 100.0, "sockets": 100.0}
    found = soak.grown([{**flat, name: value} for value in values])
    assert [text.split()[0] for text in found] == ([name] if wrong else [])


def test_the_stub_answers_ten_results_over_kept_connections() -> None:
    with stub(0) as origin, requests.Session() as session:
        answers = [session.get(f"{origin}/res/v1/web/search", params={"q": "ferry"}) for _ in range(3)]
    assert [len(answer.json()["web"]["results"]) for answer in answers] == [10, 10, 10]


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("generator", load.GENERATORS)
def test_one_short_run(tmp_path: Path, generator: str) -> None:
    if shutil.which(generator) is None and generator == "wrk" and not os.environ.get("AGENTTEAM_REQUIRE_WRK"):
        pytest.skip("wrk is not installed")
    short = ["--seconds", "4", "--database", "sqlite", "--clients", "0:1", "--no-knowledge"]
    short += ["--folder", str(tmp_path), "--generator", generator]
    done = subprocess.run([sys.executable, "-m", "bench.run", *short], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "results.json").read_text())
    rows = document["rows"]
    assert document["generator"] == generator
    assert all(0 < row["p50"] <= row["p95"] <= row["p99"] for row in rows)
    assert [(row["system"], row["failed"]) for row in rows] == [("floor", 0), ("sqlite", 0)]
    assert (tmp_path / "results.svg").read_text().startswith("<svg")
