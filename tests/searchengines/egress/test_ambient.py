"""Nothing of the environment or of an earlier answer gets into a request, and nothing of a request into a log."""

import logging
from pathlib import Path

import pytest

from searchengines.contract import Outgoing, Reach, Secret, Target
from searchengines.egress import Egress, EgressSettings
from searchengines.errors import Reason, SearchFailure
from tests.hostile import Hostile, answer
from tests.searchengines.egress.calls import local, reason_of, send
from tests.upstream import Upstream

KEY = "canary-key-0123456789"
KEYED = Outgoing(
    "POST", "/search", params=(("key", Secret(KEY)),), headers={"Authorization": Secret(f"Bearer {KEY}")}, json={"q": 1}
)


def test_proxies_netrc_and_ca_variables_have_no_effect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, upstream: Upstream, tls_upstream: Upstream
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login intruder password intruder\ndefault login intruder password intruder\n")
    netrc.chmod(0o600)
    keys = tmp_path / "keys.log"
    with Upstream() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.upper(), proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("NETRC", str(netrc))
        monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            monkeypatch.setenv(name, str(tls_upstream.ca_file))
        gate = Egress(EgressSettings())
        assert send(gate, local(upstream.url), KEYED).status == 200
        assert send(gate, local(upstream.url), Outgoing("GET", "/bare")).status == 200
        # The CA that the environment offers is not ours, so the handshake fails.
        assert reason_of(gate, local(tls_upstream.url)) is Reason.UNREACHABLE
        assert (
            send(Egress(EgressSettings(own_ca_file=tls_upstream.ca_file)), local(tls_upstream.url, own_ca=True)).status
            == 200
        )
        assert proxy.connections == 0
    assert upstream.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "authorization" not in upstream.requests[1].headers
    assert not keys.exists()


def test_the_headers_are_ours_alone(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), Outgoing("GET", "/search"))
    assert upstream.last.headers == {
        "host": f"127.0.0.1:{upstream.port}",
        "user-agent": "AgentTeam-Search/1.0",
        "accept": "*/*",
        "accept-encoding": "identity",
    }
    send(gate, local(upstream.url), Outgoing("POST", "/search", json={"q": "é"}, headers={"X-API-KEY": Secret(KEY)}))
    assert upstream.last.headers == {
        "host": f"127.0.0.1:{upstream.port}",
        "user-agent": "AgentTeam-Search/1.0",
        "accept": "*/*",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "content-length": "14",
        "x-api-key": KEY,
    }
    assert upstream.last.json == {"q": "é"}


def test_searxng_is_asked_for_gzip_and_any_language(gate: Egress, upstream: Upstream) -> None:
    send(gate, local(upstream.url), Outgoing("GET", "/search", accept_gzip=True))
    assert upstream.last.headers["accept-encoding"] == "gzip"
    assert upstream.last.headers["accept-language"] == "*"


def test_cookies_are_not_sent_back(gate: Egress, upstream: Upstream) -> None:
    upstream.reply(headers={"Set-Cookie": "session=intruder; Path=/"}, json={})
    for _ in range(2):
        send(gate, local(upstream.url))
    assert "cookie" not in upstream.last.headers


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"nonsense\r\n\r\n",
        b"",
    ],
)
def test_no_log_line_has_the_key_the_query_or_the_url(
    caplog: pytest.LogCaptureFixture, gate: Egress, data: bytes
) -> None:
    caplog.set_level(logging.DEBUG)
    with Hostile(answer(data)) as server:
        try:
            send(gate, local(server.url), KEYED, timeout=0.3)
        except SearchFailure as failure:
            assert KEY not in repr(failure)
            assert failure.__context__ is None
    lines = [record.getMessage() for record in caplog.records]
    assert [line for line in lines if KEY in line or "/search" in line] == []


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 399])
def test_no_redirect_is_followed(gate: Egress, upstream: Upstream, status: int) -> None:
    with Upstream() as elsewhere:
        for location in (f"{elsewhere.url}/x", "/x", f"{upstream.url}/x", "http://169.254.169.254/latest/"):
            upstream.requests.clear()
            upstream.reply(status=status, headers={"Location": location})
            assert reason_of(gate, local(upstream.url), KEYED) is Reason.REDIRECTED
            assert [each.path for each in upstream.requests] == ["/search"]
        assert elsewhere.connections == 0


def test_a_closed_port_reads_unreachable(gate: Egress) -> None:
    with Upstream() as server:
        url = server.url
    assert reason_of(gate, Target(url, Reach.LOOPBACK)) is Reason.UNREACHABLE
