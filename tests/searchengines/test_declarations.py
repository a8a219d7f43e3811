"""What engines declare (contract section 2, spec B), and what their members take."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import searchengines
from searchengines.contract import Engine, Needs, OptionKind
from searchengines.credentials import VaultReference, clean_api_key, parse_keys, parse_reference
from searchengines.egress.base_url import canonical_base_url
from searchengines.errors import InvalidValue
from searchengines.providers import ALL, ENGINES

ROOT = Path(searchengines.__file__).parents[1]
BY_SLUG = {engine.slug: engine for engine in ENGINES}
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.slug)
WEB = ("timeoutMs", "allowDomains", "denyDomains")

TABLE = [
    ("app_searxng", "searxng", "SearXNG", ("baseUrl!", "language"), (), ("engines", "categories", *WEB)),
    ("app_brave_search", "brave", "Brave Search", (), ("apiKey!",), ("country", "searchLang", "safesearch", *WEB)),
    (
        "app_tavily",
        "tavily",
        "Tavily Search",
        (),
        ("apiKey!",),
        ("maxResults", "searchDepth", "topic", "includeAnswer", *WEB),
    ),
    ("app_serper", "serper", "Serper Search", (), ("apiKey!",), ("gl", "hl", *WEB)),
    (
        "app_staan",
        "staan",
        "Staan",
        (),
        ("apiKey!",),
        ("market", "count", "minScore", "extraSnippets", "fullContent", *WEB),
    ),
    ("app_google_search", "google", "Google Custom Search", ("cx!",), ("apiKey!",), ("lr", *WEB)),
    ("app_searchapi", "searchapi", "SearchApi", (), ("apiKey!",), ("engine", "gl", "hl", *WEB)),
    ("app_duckduckgo", "duckduckgo", "DuckDuckGo", (), (), WEB),
    ("app_exa", "exa", "Exa", (), ("apiKey!",), ("type", "category", "numResults", "highlights", "text", *WEB)),
    (
        "app_knowledge",
        "rag",
        "Knowledge Base",
        ("embeddingStore!", "embeddingModel!", "description"),
        (),
        ("maxResults", "minScore"),
    ),
]
ORIGINS = {
    "searxng": None,
    "brave": "https://api.search.brave.com",
    "tavily": "https://api.tavily.com",
    "serper": "https://google.serper.dev",
    "staan": "https://api.staan.ai",
    "google": "https://www.googleapis.com",
    "searchapi": "https://www.searchapi.io",
    "duckduckgo": "https://api.duckduckgo.com",
    "exa": "https://api.exa.ai",
}
DEFAULT_COUNTS = {"tavily": 5, "rag": 5}


def marked(engine: Engine, secret: bool) -> tuple[str, ...]:
    return tuple(item.name + "!" * item.required for item in engine.fields if item.secret is secret)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[1])
def test_table_of_apps(row: tuple[Any, ...]) -> None:
    engine = BY_SLUG[row[1]]
    options = tuple(option.name for option in engine.options)
    assert row == (
        engine.app_id,
        engine.slug,
        engine.display_name,
        marked(engine, False),
        marked(engine, True),
        options,
    )


def test_there_is_no_other_engine() -> None:
    assert [engine.slug for engine in ENGINES] == [row[1] for row in TABLE]
    assert list(ENGINES[:-1]) == list(ALL)
    assert {provider.slug: provider.origin for provider in ALL} == ORIGINS


@every_engine
def test_declaration_is_complete(engine: Engine) -> None:
    assert engine.description.endswith(".")
    assert engine.data_notice.endswith(".")
    assert re.fullmatch(r"\d+\.\d+\.\d+", engine.definition_version)
    assert engine.default_count == DEFAULT_COUNTS.get(engine.slug, 10)
    assert engine.count_range[0] <= engine.default_count <= engine.count_range[1]
    names = [item.name for item in (*engine.fields, *engine.options)]
    assert len(set(names)) == len(names)
    assert all(item.label for item in (*engine.fields, *engine.options))
    expected = {Needs.API_KEY: True, Needs.SELF_HOSTED: False, Needs.NOTHING: False, Needs.KNOWLEDGE: False}
    assert bool(engine.secret_fields) is expected[engine.needs]


@every_engine
def test_defaults_choices_and_bounds_are_taken(engine: Engine) -> None:
    for option in engine.options:
        if option.default is not None:
            assert option.clean(option.default) == option.default
        for choice in option.choices:
            assert option.clean(choice) == choice
        if option.kind in (OptionKind.INTEGER, OptionKind.NUMBER):
            assert option.minimum is not None
            assert option.maximum is not None
            assert option.clean(option.minimum) == option.minimum
            assert option.clean(option.maximum) == option.maximum
            for outside in (option.minimum - 1, option.maximum + 1, True, "1", None, [], 10**400, float("nan")):
                with pytest.raises(InvalidValue):
                    option.clean(outside)


@every_engine
@pytest.mark.parametrize("value", [None, {}, b"x", {"a": [1]}], ids=repr)
def test_no_member_takes_other_types(engine: Engine, value: Any) -> None:
    for item in (*engine.fields, *engine.options):
        with pytest.raises(InvalidValue):
            item.clean(value)


@every_engine
def test_refusals_never_repeat_the_value(engine: Engine) -> None:
    value = "sécret-\u202evalue ${vault} \n<b>"
    for item in (*engine.fields, *engine.options):
        with pytest.raises(InvalidValue) as caught:
            item.clean(value)
        assert "cret" not in caught.value.message
        assert caught.value.message.isprintable()
        assert caught.value.rule


@every_engine
def test_icon_is_local_and_inert(engine: Engine) -> None:
    folders = [ROOT / "searchengines/providers" / engine.slug, ROOT / "apps/knowledge"]
    (path,) = [path for folder in folders if (path := folder / f"static/app-icons/{engine.slug}.svg").exists()]
    text = path.read_text()
    root = ElementTree.fromstring(text)
    assert root.attrib["viewBox"] == "0 0 40 40"
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "g", "rect", "circle", "path"}
    assert "href" not in text
    assert "url(" not in text
    assert len(text) < 2048


def test_document_names_are_specification_bs() -> None:
    declared = {
        engine.slug: {option.document_name for option in engine.options if option.document_name} for engine in ENGINES
    }
    assert declared == {
        "searxng": {"engines", "categories"},
        "brave": {"country", "search_lang", "safesearch"},
        "tavily": {"max_results", "search_depth", "topic", "include_answer"},
        "serper": {"gl", "hl"},
        "staan": {"market", "count", "min_score", "extra_snippets", "full_content"},
        "google": {"lr"},
        "searchapi": {"engine", "gl", "hl"},
        "duckduckgo": set(),
        "exa": {"type", "category", "num_results", "highlights", "text"},
        "rag": {"max_results", "min_score"},
    }


def test_notices() -> None:
    assert "2027-01-01" in BY_SLUG["google"].notice
    assert "new customers" in BY_SLUG["google"].notice
    assert "instant answers" in BY_SLUG["duckduckgo"].notice
    (base_url, _) = BY_SLUG["searxng"].fields
    assert "search.formats" in base_url.help
    assert "container" in base_url.help


def option_of(slug: str, name: str) -> Any:
    return next(item for item in (*BY_SLUG[slug].options, *BY_SLUG[slug].fields) if item.name == name)


@pytest.mark.parametrize(
    ("slug", "name", "value", "stored"),
    [
        ("searxng", "language", " fr ", "fr"),
        ("searxng", "language", "pt-BR", "pt-BR"),
        ("searxng", "language", "all", "all"),
        ("searxng", "baseUrl", "http://machine.example.test:6385/search", "http://machine.example.test:6385"),
        ("searxng", "engines", " google , bing ,,", "google,bing"),
        ("brave", "country", "FR", "FR"),
        ("brave", "searchLang", "pt-br", "pt-br"),
        ("tavily", "maxResults", 5.0, 5),
        ("staan", "market", "en-us", "en-us"),
        ("staan", "minScore", 0.25, 0.25),
        ("google", "cx", "017576662512468239146:omuauf_lfve", "017576662512468239146:omuauf_lfve"),
        ("google", "cx", "https://cse.example.test/cse?cx=demo0000", "demo0000"),
        ("google", "cx", "cse.example.test/cse?sa=1&cx=017%3Aabc#gsc.tab=0", "017:abc"),
        ("google", "lr", "lang_zh-CN", "lang_zh-CN"),
        ("exa", "category", "research paper", "research paper"),
        (
            "exa",
            "allowDomains",
            ["Example.COM.", "bücher.example", "example.com"],
            ["example.com", "xn--bcher-kva.example"],
        ),
        ("rag", "description", "  Product\n docs ", "Product docs"),
        ("rag", "embeddingStore", "embedding-store_1", "embedding-store_1"),
    ],
)
def test_member_takes(slug: str, name: str, value: Any, stored: Any) -> None:
    found = option_of(slug, name).clean(value)
    assert found == stored
    assert type(found) is type(stored)
    assert option_of(slug, name).clean(stored) == stored


@pytest.mark.parametrize(
    ("slug", "name", "value"),
    [
        ("searxng", "language", "english"),
        ("searxng", "language", "FR"),
        ("searxng", "language", "en_US"),
        ("searxng", "language", "zh-Hans"),
        ("searxng", "language", "fr,de"),
        ("searxng", "language", "fr-FR,"),
        ("searxng", "language", ""),
        ("searxng", "baseUrl", "https://sx.example.test/search?q=<query>"),
        ("searxng", "baseUrl", "https://demo:pw0000@sx.example.test"),
        ("searxng", "engines", " , "),
        ("searxng", "categories", "gen\x00eral"),
        ("brave", "country", "FRA"),
        ("brave", "country", "ſr"),
        ("brave", "searchLang", "french"),
        ("brave", "safesearch", "Strict"),
        ("tavily", "maxResults", 21),
        ("tavily", "maxResults", -1),
        ("tavily", "maxResults", 5.5),
        ("tavily", "searchDepth", "deep"),
        ("tavily", "topic", "sports"),
        ("tavily", "includeAnswer", "true"),
        ("tavily", "includeAnswer", 1),
        ("staan", "market", "fr"),
        ("staan", "count", 11),
        ("staan", "minScore", 1.01),
        ("staan", "fullContent", "text"),
        ("google", "cx", "000-abc.apps.example.test"),
        ("google", "cx", "https://cse.example.test/cse?id=demo"),
        ("google", "cx", ""),
        ("google", "lr", "fr"),
        ("searchapi", "engine", "../google"),
        ("exa", "numResults", 0),
        ("exa", "numResults", 101),
        ("exa", "type", "auto&x=1"),
        ("exa", "denyDomains", ["*.example.com"]),
        ("exa", "denyDomains", ["https://example.com"]),
        ("exa", "denyDomains", [5]),
        ("exa", "denyDomains", ["example.com"] * 101),
        ("rag", "description", "x" * 1001),
        ("rag", "description", "  "),
        ("rag", "embeddingModel", "../x"),
        ("rag", "minScore", -0.1),
    ],
)
def test_member_refuses(slug: str, name: str, value: Any) -> None:
    with pytest.raises(InvalidValue):
        option_of(slug, name).clean(value)


def test_searxng_base_url_is_the_canonical_rule() -> None:
    assert option_of("searxng", "baseUrl").clean is canonical_base_url


K1, K2 = "first-key-0001", "second-key-0002"


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (K1, K1),
        (f"  {K1}\r\n", K1),
        (f"{K1}, {K2} ,,", f"{K1},{K2}"),
        ("${vault://local/BRAVE_KEY}", "${vault://local/BRAVE_KEY}"),
        (" ${vault://env/KEY_1} ", "${vault://env/KEY_1}"),
        ("${vault://team-store/path/to.key}", "${vault://team-store/path/to.key}"),
        ("!#$%&'()*+-./:;<=>?@[]^_`{|}~", "!#$%&'()*+-./:;<=>?@[]^_`{|}~"),
    ],
)
def test_api_key_takes(value: str, stored: str) -> None:
    assert clean_api_key(value) == stored
    assert clean_api_key(stored) == stored


@pytest.mark.parametrize(
    "value",
    [
        "",
        "   ",
        ",,",
        "short",
        f"{K1},short",
        "k" * 513,
        "inner blank-key",
        "new\nline-key-0001",
        "nul\x00-key-0001",
        "tvly-demʋ-0000",
        "tvly-demo-0000\u200b",
        "“tvly-demo-0000”",
        "\u00a0tvly-demo-0000",
        ",".join([K1] * 51),
        "${vault://local/A}${vault://local/B}",
        "${vault://local/A},${vault://local/B}",
        f"{K1},${{vault://local/A}}",
        "x${vault://local/A}",
        "${vault://local/${vault://local/A}}",
        "${vault://local/}",
        "${vault://local/a-b}",
        "${vault://local/a/b}",
        "${vault://env/" + "A" * 65 + "}",
        "${vault://LOCAL/A}",
        "${vault:/local/A}",
        "${env:TOKEN}",
        "${vault://local/A",
        None,
        5,
        [K1],
    ],
    ids=ascii,
)
def test_api_key_refuses(value: Any) -> None:
    with pytest.raises(InvalidValue) as caught:
        clean_api_key(value)
    assert "tvly" not in caught.value.message
    assert "codec" not in caught.value.message
    if isinstance(value, str) and not value.isascii():
        assert "ASCII" in caught.value.message


def test_references_and_keys_are_read() -> None:
    assert parse_reference("${vault://local/A}") == VaultReference("local", "A")
    assert parse_reference(K1) is None
    assert parse_keys(f" {K1} ,, {K2}\n") == [K1, K2]
    with pytest.raises(InvalidValue):
        parse_keys("${vault://local/A}")
