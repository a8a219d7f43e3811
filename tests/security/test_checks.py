"""Each misconfiguration is an error that names its variable and never its value; a good deployment is clean."""

import base64
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import ERROR, INFO, WARNING, CheckMessage, run_checks

from agentteam.variables import Environment
from extensions.checks import deployment, master_key
from tests.security.keys import PREVIOUS, PRIMARY, key_text

STRONG = "kJ3vQ8wZ1nR6tY0uB5xC9mD2sF7gH4jL1pA8eV3iO6qW0zXc"


@pytest.fixture
def deployed(settings: Any) -> Any:
    """Settings of a good deployment."""
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["search.example.org"]
    settings.SECRET_KEY = STRONG + "yT5"
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.AGENTTEAM_BEHIND_PROXY = True
    setattr(settings, PRIMARY, key_text("M1"))
    setattr(settings, PREVIOUS, [])
    return settings


def found(deploy: bool = True) -> list[CheckMessage]:
    messages = run_checks(tags=["security"], include_deployment_checks=deploy)
    return [message for message in messages if str(message.id).startswith("agentteam.")]


def ids(deploy: bool = True) -> list[str]:
    return [str(message.id) for message in found(deploy)]


def test_a_good_deployment_has_no_finding(deployed: Any) -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("name", "value", "finding"),
    [
        (PRIMARY, "", "agentteam.E010"),
        (PRIMARY, base64.b64encode(bytes(32)).decode(), "agentteam.E012"),
        (PRIMARY, base64.b64encode(bytes(range(32))).decode(), "agentteam.E012"),
        (PRIMARY, base64.b64encode(b"a password, thirty-two long here").decode(), "agentteam.E012"),
        (PRIMARY, base64.b64encode(b"\x80\x01\x9f\xc3" * 8).decode(), "agentteam.E012"),
        (PREVIOUS, [key_text("M0"), key_text("M0")], "agentteam.E013"),
        (PREVIOUS, [key_text("M1")], "agentteam.E013"),
        ("DEBUG", True, "agentteam.E020"),
        ("ALLOWED_HOSTS", ["search.example.org", "*"], "agentteam.E021"),
        ("SESSION_COOKIE_SECURE", False, "agentteam.E022"),
        ("CSRF_COOKIE_SECURE", False, "agentteam.E022"),
        ("SESSION_COOKIE_HTTPONLY", False, "agentteam.E022"),
        ("SECURE_HSTS_SECONDS", 0, "agentteam.E022"),
        ("SECURE_SSL_REDIRECT", False, "agentteam.E022"),
        ("SECRET_KEY", STRONG[:40], "agentteam.E023"),
        ("SECRET_KEY", "abab" * 20, "agentteam.E023"),
        ("SECRET_KEY", f"django-insecure-{STRONG}", "agentteam.E023"),
        (
            "REST_FRAMEWORK",
            {"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.BrowsableAPIRenderer"]},
            "agentteam.E024",
        ),
        ("REST_FRAMEWORK", {}, "agentteam.E024"),
    ],
)
def test_a_misconfiguration_is_an_error_when_deploying_and_none_while_developing(
    deployed: Any, name: str, value: Any, finding: str
) -> None:
    setattr(deployed, name, value)
    (message,) = found()
    assert (message.id, message.level) == (finding, ERROR)
    assert ids(deploy=False) == []
    text = f"{message.msg} {message.hint}"
    for secret in value if isinstance(value, list) else [value]:
        assert not isinstance(secret, str) or len(secret) < 20 or secret not in text


def test_https_without_a_proxy_that_is_trusted_is_told_and_no_error(deployed: Any) -> None:
    """The server believes a proxy on its own machine, so this may be meant."""
    deployed.AGENTTEAM_BEHIND_PROXY = False
    assert [(message.id, message.level) for message in found()] == [("agentteam.I001", INFO)]
    deployed.SECURE_SSL_REDIRECT = False
    assert "agentteam.I001" not in ids()


def test_the_master_key_must_not_be_the_secret_key(deployed: Any) -> None:
    deployed.SECRET_KEY = key_text("M1")
    assert "agentteam.E011" in ids()
    assert key_text("M1") not in str(found())


@pytest.mark.parametrize(
    ("name", "value"),
    [(PRIMARY, "canary-not-base64!"), (PRIMARY, "Y2FuYXJ5"), (PREVIOUS, [key_text("M0"), "canary-not-base64!"])],
)
def test_a_malformed_master_key_is_always_an_error(deployed: Any, name: str, value: Any) -> None:
    """Abuse 10: the variable is named, its value is not shown."""
    setattr(deployed, name, value)
    for deploy in (False, True):
        (message,) = found(deploy)
        assert (message.id, message.msg) == ("agentteam.E001", f"{name} is not base64 of 32 bytes.")
        assert "canary" not in str(message) and "Y2FuYXJ5" not in str(message)


def test_random_keys_are_not_taken_for_guessable() -> None:
    assert not any(master_key.is_guessable(os.urandom(32)) for _ in range(20_000))


@pytest.mark.parametrize(("package", "old"), [("urllib3", "2.7.9"), ("djangorestframework", "3.17.1")])
def test_old_libraries_are_refused(deployed: Any, monkeypatch: pytest.MonkeyPatch, package: str, old: str) -> None:
    installed = deployment.version
    monkeypatch.setattr(deployment, "version", lambda name: old if name == package else installed(name))
    assert ids() == ["agentteam.E025"]


@pytest.mark.parametrize("name", ["urllib3", "requests"])
def test_a_talkative_logger_is_refused(deployed: Any, name: str) -> None:
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.DEBUG)
    try:
        assert ids() == ["agentteam.E026"]
    finally:
        logger.setLevel(before)


@pytest.mark.parametrize("text", ["", "often", "10", "10/fortnight", "-1/min", "1.5/min", "10/min/s"])
@pytest.mark.parametrize("name", ["AGENTTEAM_EXEC_RATE", "AGENTTEAM_TEST_RATE", "AGENTTEAM_SIGNIN_RATE"])
def test_a_bad_rate_is_refused_by_name(deployed: Any, name: str, text: str) -> None:
    setattr(deployed, name, text)
    wrong = [message for message in run_checks() if message.id == "agentteam.E002"]
    assert [message.msg.split(":")[0] for message in wrong] == [name]


@pytest.mark.parametrize(
    "origin",
    [
        "ftp://gateway.example",
        "gateway.example",
        "http://gateway.example",
        "https://user:canary@gateway.example",
        "https://gateway.example?key=canary",
        "https://gateway.example/#canary",
        "https://[::1",
    ],
)
def test_a_bad_origin_is_refused_by_name(deployed: Any, origin: str) -> None:
    deployed.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = True
    deployed.AGENTTEAM_SEARCH_ORIGINS = {"brave": origin}
    (message,) = found(deploy=False)
    assert message.id == "agentteam.E003"
    assert message.msg.startswith("AGENTTEAM_SEARCH_ORIGIN_BRAVE ")
    assert "canary" not in message.msg


def test_http_to_loopback_needs_the_operators_word(deployed: Any) -> None:
    deployed.AGENTTEAM_SEARCH_ORIGINS = {"brave": "http://127.0.0.1:9000"}
    deployed.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = True
    assert ids(deploy=False) == []
    deployed.AGENTTEAM_ALLOW_LOOPBACK_ORIGINS = False
    assert ids(deploy=False) == ["agentteam.E003"]


def test_an_unreadable_authority_is_refused(deployed: Any, tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.write_text("no certificate")
    for path in (str(empty), str(tmp_path / "missing.pem"), str(tmp_path)):
        deployed.AGENTTEAM_SEARXNG_CA_FILE = path
        assert ids(deploy=False) == ["agentteam.E004"], path


def others() -> list[tuple[str, str]]:
    """What all checks but those about security say of our variables."""
    return [(str(message.id), message.msg.split()[0]) for message in run_checks() if str(message.id)[:9] == "agentteam"]


def test_variables_that_are_good_have_no_finding(deployed: Any) -> None:
    deployed.REDIS_URL = "rediss://:secret@cache.example:6380/1"
    assert others() == []


@pytest.mark.parametrize(
    ("name", "value", "finding"),
    [
        ("REDIS_URL", "canary.example:6379", "agentteam.E007"),
        ("REDIS_URL", "http://canary.example", "agentteam.E007"),
        ("REDIS_URL", "redis://canary.example:port/0", "agentteam.E007"),
        ("AGENTTEAM_LOG_LEVEL", "CANARY", "agentteam.E009"),
        ("AGENTTEAM_LOG_LEVEL", "", "agentteam.E009"),
        ("AGENTTEAM_LOG_FORMAT", "canary", "agentteam.E009"),
        ("AGENTTEAM_LOG_FORMAT", "", "agentteam.E009"),
        ("AGENTTEAM_KNOWLEDGE_MEMORY_MIB", 0, "agentteam.E006"),
        ("AGENTTEAM_KNOWLEDGE_UPLOAD_MIB", 0, "agentteam.E006"),
        ("AGENTTEAM_KNOWLEDGE_UPLOAD_MIB", -1, "agentteam.E006"),
    ],
)
def test_a_wrong_variable_is_refused_by_name(deployed: Any, name: str, value: Any, finding: str) -> None:
    setattr(deployed, name, value)
    assert others() == [(finding, name)]
    assert "canary" not in str(run_checks()).lower()


@pytest.mark.parametrize(
    ("smallest", "largest", "timeout", "wrong"),
    [
        (2, 20, 10, []),
        (0, 1, 1, []),
        (5, 5, 1, []),
        (5, 4, 1, ["AGENTTEAM_DB_POOL_MAX"]),
        (0, 0, 1, ["AGENTTEAM_DB_POOL_MAX"]),
        (-1, 1, 1, ["AGENTTEAM_DB_POOL_MIN"]),
        (1, 1, 0, ["AGENTTEAM_DB_POOL_TIMEOUT"]),
    ],
)
def test_the_pool(
    deployed: Any, monkeypatch: pytest.MonkeyPatch, smallest: int, largest: int, timeout: int, wrong: list[str]
) -> None:
    pool = {"min_size": smallest, "max_size": largest, "timeout": timeout}
    monkeypatch.setitem(deployed.DATABASES["default"], "OPTIONS", {"pool": pool})
    assert others() == [("agentteam.E008", name) for name in wrong]


@pytest.mark.parametrize(
    ("word", "truth", "clear"),
    [
        ("1", True, True),
        ("Yes", True, True),
        (" on ", True, True),
        ("0", False, True),
        ("FALSE", False, True),
        ("", False, True),
    ]
    + [(word, False, False) for word in ("ture", "2", "enabled")],
)
def test_a_boolean_is_a_word_for_yes_or_no(
    monkeypatch: pytest.MonkeyPatch, word: str, truth: bool, clear: bool
) -> None:
    monkeypatch.setenv("AGENTTEAM_HTTPS", word)
    env = Environment()
    assert env.bool("AGENTTEAM_HTTPS", False) is truth
    assert env.unclear == ([] if clear else ["AGENTTEAM_HTTPS"])


def test_a_boolean_that_is_not_set_is_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTTEAM_HTTPS", raising=False)
    env = Environment()
    assert (env.bool("AGENTTEAM_HTTPS", True), env.bool("AGENTTEAM_HTTPS", False), env.unclear) == (True, False, [])


@pytest.mark.parametrize("name", ["AGENTTEAM_SEARCH_ORIGIN_BRAEV", "AGENTTEAM_SEARCH_ORIGIN_SEARXNG"])
def test_an_origin_without_an_engine_is_a_warning(deployed: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("AGENTTEAM_SEARCH_ORIGIN_BRAVE", "https://gateway.example")
    monkeypatch.setenv(name, "https://canary.example")
    (message,) = found(deploy=False)
    assert (message.id, message.level, message.msg.split()[0]) == ("agentteam.W001", WARNING, name)
    assert "canary" not in f"{message.msg} {message.hint}"


class Nameless:
    """A class that is no backend."""

    name = None


@pytest.mark.parametrize(
    "path", ["no.such.Module", "os.path", f"{__name__}.Nameless", "apps.marketplace.vault.LocalBackend"]
)
def test_an_unusable_vault_backend_is_refused(deployed: Any, path: str) -> None:
    deployed.AGENTTEAM_VAULT_BACKENDS = [path]
    assert ids(deploy=False) == ["agentteam.E005"]


def manage_check(**environment: str) -> "subprocess.CompletedProcess[str]":
    """`manage.py check --deploy` as an operator runs it, with production's variables."""
    variables = {
        "PATH": os.environ["PATH"],
        "AGENTTEAM_ENV_FILE": os.devnull,
        "DATABASE_URL": "sqlite://:memory:",
        "DEBUG": "0",
        "AGENTTEAM_HTTPS": "1",
        "AGENTTEAM_BEHIND_PROXY": "1",
        "ALLOWED_HOSTS": "search.example.org",
        "SECRET_KEY": STRONG + "yT5",
        PRIMARY: key_text("M1"),
        **environment,
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)


def test_check_deploy_passes_with_the_settings_of_production() -> None:
    done = manage_check()
    assert (done.returncode, done.stderr) == (0, "")


def test_check_fails_on_a_malformed_master_key_and_shows_none_of_it() -> None:
    done = manage_check(**{PRIMARY: "canary-0000"})
    assert done.returncode == 1
    assert f"{PRIMARY} is not base64 of 32 bytes." in done.stderr
    assert "canary-0000" not in done.stderr + done.stdout


def test_check_names_every_variable_that_would_only_fail_later() -> None:
    wrong = {
        "DATABASE_URL": "postgres://nobody@127.0.0.1:9/nothing",
        "AGENTTEAM_DB_POOL_MAX": "0",
        "REDIS_URL": "canary:6379",
        "AGENTTEAM_LOG_LEVEL": "canary",
        "AGENTTEAM_LOG_FORMAT": "canary",
        "AGENTTEAM_KNOWLEDGE_UPLOAD_MIB": "0",
        "AGENTTEAM_VAULT_ENV": "canary",
        "AGENTTEAM_SEARCH_ORIGIN_BRAEV": "https://canary.example",
    }
    done = manage_check(**wrong)
    assert done.returncode == 1
    assert sorted(re.findall(r"\(agentteam\.(\w+)\) (\w+)", done.stderr)) == [
        ("E006", "AGENTTEAM_KNOWLEDGE_UPLOAD_MIB"),
        ("E007", "REDIS_URL"),
        ("E008", "AGENTTEAM_DB_POOL_MAX"),
        ("E009", "AGENTTEAM_LOG_FORMAT"),
        ("E009", "AGENTTEAM_LOG_LEVEL"),
        ("E030", "AGENTTEAM_VAULT_ENV"),
        ("W001", "AGENTTEAM_SEARCH_ORIGIN_BRAEV"),
    ]
    assert "canary" not in done.stderr + done.stdout
