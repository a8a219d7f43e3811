"""Every recorded or shape-faithful body, through the server, the gate and the runtime."""

import json
from pathlib import Path
from typing import Any

import pytest

import searchengines.providers as providers_package
from searchengines.contract import Provider, SearchAnswer, SearchQuery
from searchengines.errors import SearchFailure
from searchengines.providers import ALL
from tests.searchengines.stage import PROVIDERS, Stage

FIXTURES = sorted(Path(providers_package.__file__).parent.glob("*/fixtures/*.json"))
CASES = Path(__file__).parents[1] / "cases"
MANIFEST = json.loads((CASES / "wire/MANIFEST.json").read_text())
WIRE = sorted(path for path in (CASES / "wire").glob("*.json") if path.name != "MANIFEST.json")


def described(answer: SearchAnswer) -> dict[str, Any]:
    results = [
        {
            "url": item.url,
            "title": item.title,
            "snippet": item.snippet,
            "score": item.score,
            "published_date": item.published_date,
        }
        for item in answer.results
    ]
    found: dict[str, Any] = {
        "results": [{name: value for name, value in item.items() if value is not None} for item in results]
    }
    if answer.answer is not None:
        found["answer"] = answer.answer
    if answer.dropped:
        found["dropped"] = {reason.value: count for reason, count in answer.dropped.items()}
    return found


def outcome(stage: Stage, provider: Provider, **reply: Any) -> dict[str, Any]:
    try:
        return described(stage.play(provider, query=SearchQuery("peat bog"), **reply))
    except SearchFailure as failure:
        reason = {} if failure.reason is None else {"reason": failure.reason.value}
        return {"error": failure.code.value, **reason}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_fixture(stage: Stage, path: Path) -> None:
    fixture = json.loads(path.read_text())
    body = fixture["text"].encode() if "text" in fixture else fixture["body"]
    found = outcome(stage, PROVIDERS[path.parts[-3]], status=fixture["status"], headers=fixture["headers"], body=body)
    assert found == fixture["expect"]
    assert len(stage.sent) == 1


@pytest.mark.parametrize("provider", ALL, ids=lambda provider: provider.slug)
def test_every_engine_has_fixtures_of_success_emptiness_and_failure(provider: Provider) -> None:
    mine = [json.loads(path.read_text())["expect"] for path in FIXTURES if path.parts[-3] == provider.slug]
    assert any(expect.get("results") for expect in mine)
    assert any("error" in expect for expect in mine)
    assert len(mine) >= 3


@pytest.mark.parametrize("path", WIRE, ids=lambda path: path.stem)
def test_every_wire_sample_is_a_fixture_of_its_engine(path: Path) -> None:
    slug, _, name = path.stem.partition("_")
    fixture = json.loads((Path(providers_package.__file__).parent / slug / "fixtures" / f"{name}.json").read_text())
    sample = json.loads(path.read_text())
    described_in_manifest = MANIFEST[path.name]
    assert fixture["status"] == described_in_manifest["status"]
    assert fixture["headers"]["content-type"] == described_in_manifest["content_type"]
    if "raw_body" in sample:
        assert fixture["text"] == sample["raw_body"]
    else:
        assert fixture["body"] == sample


def test_duckduckgo_answers_202_with_results(stage: Stage) -> None:
    sample = json.loads((CASES / "wire/duckduckgo_ok.json").read_text())
    found = outcome(stage, PROVIDERS["duckduckgo"], status=202, body=sample)
    assert [item["title"] for item in found["results"]][0] == "Puffin"
    assert len(found["results"]) == 4


def searxng(stage: Stage, name: str, status: int = 200, content_type: str = "application/json") -> dict[str, Any]:
    body = (CASES / "searxng" / name).read_bytes()
    provider = PROVIDERS["searxng"]
    return outcome(stage, provider, status=status, headers={"content-type": content_type}, body=body)


def test_searxng_two_engines(stage: Stage) -> None:
    found = searxng(stage, "01-ok-two-engines.json")
    assert [item["url"] for item in found["results"]][:3] == [
        "https://site0.example/rust/0",
        "https://site21.example/rust/90",
        "https://site10.example/rust/10",
    ]
    assert found["results"][0] == {
        "url": "https://site0.example/rust/0",
        "title": "Rust note 0",
        "snippet": "Synthetic page 0 about rust: facts, figures and history of rust.",
        "score": 4.4,
        "published_date": "2026-01-01T08:00:00Z",
    }
    assert len(found["results"]) == 10
    assert "answer" not in found


def test_searxng_edge_cases(stage: Stage) -> None:
    found = searxng(stage, "02-edge-cases.json")
    by_url = {item["url"]: item for item in found["results"]}
    assert by_url["https://edge.example/html"] == {
        "url": "https://edge.example/html",
        "title": "HTML tags & entities in title",
        "snippet": "Text with bold, , <escaped> & an 'apostrophe'",
        "score": 1.0,
    }
    odd = by_url["https://edge.example/unicode/ünïcödé?q=日本"]
    assert odd["snippet"] == "ünïcödé ﬁ ligature RTL override bell line-sep"
    assert all(url.startswith(("http://", "https://")) for url in by_url)
    assert all("#" not in url and "@" not in url for url in by_url)
    assert len(found["results"]) == 10


def test_searxng_answer_object(stage: Stage) -> None:
    found = searxng(stage, "03-answer-infobox-suggest.json")
    sample = json.loads((CASES / "searxng/03-answer-infobox-suggest.json").read_text())
    assert found["answer"] == sample["answers"][0]["answer"]
    assert len(found["results"]) == 10


@pytest.mark.parametrize(
    ("name", "status", "content_type", "expected"),
    [
        (
            "04-all-engines-fail.json",
            200,
            "application/json",
            {"error": "upstream_failure", "reason": "engines_failed"},
        ),
        ("05-empty-results.json", 200, "application/json", {"results": []}),
        ("09-bad-language.json", 400, "application/json", {"error": "upstream_failure", "reason": "bad_status"}),
        ("11-html-not-json.403.html", 403, "text/html", {"error": "upstream_failure", "reason": "json_disabled"}),
        ("11-html-not-json.403.html", 200, "text/html", {"error": "upstream_failure", "reason": "not_json"}),
        ("12-limiter.429.txt", 429, "text/html", {"error": "rate_limited"}),
        ("07-null-url-keyvalue.json", 200, "application/json", {"results": [], "dropped": {"no_url": 4}}),
    ],
)
def test_searxng_body(stage: Stage, name: str, status: int, content_type: str, expected: dict[str, Any]) -> None:
    assert searxng(stage, name, status, content_type) == expected


def test_searxng_images_may_have_no_snippet(stage: Stage) -> None:
    found = searxng(stage, "06-images.json")
    assert [item["snippet"] for item in found["results"]][:4] == ["", "", "caption 1", "caption 1"]
    assert len(found["results"]) == 10


def test_searxng_surrogates_and_nul_are_dropped(stage: Stage) -> None:
    found = searxng(stage, "08-lone-surrogate-nul.json")
    assert [item["url"] for item in found["results"]] == [
        "https://weird.example/int",
        "https://weird.example/nul",
        "https://weird.example/lone",
    ]
    assert found["results"][1]["title"] == "nul title"
    assert found["results"][1]["snippet"] == "lone surrogate end"
    assert len(found["results"][0]["title"]) <= 512


def test_searxng_duplicates_across_categories_are_dropped(stage: Stage) -> None:
    sample = json.loads((CASES / "searxng/10-mixed-categories.json").read_text())
    answer = stage.play(PROVIDERS["searxng"], body=sample, query=SearchQuery("rust", max_results=100))
    assert [item.url for item in answer.results] == list(dict.fromkeys(item["url"] for item in sample["results"]))
    assert answer.dropped == {"duplicate": len(sample["results"]) - len(answer.results)}


def test_searxng_partial_results_are_an_answer(stage: Stage) -> None:
    sample = json.loads((CASES / "searxng/13-partial.json").read_text())
    found = searxng(stage, "13-partial.json")
    assert sample["unresponsive_engines"]
    assert [item["url"] for item in found["results"]] == [item["url"] for item in sample["results"]][:10]
