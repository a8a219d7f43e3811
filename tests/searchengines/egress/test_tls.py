"""Certificates: verified against public roots, one file of our own where the target says so, and the host name."""

import ssl
from pathlib import Path

import pytest

from searchengines.contract import Reach, Target
from searchengines.egress import Egress, EgressSettings
from searchengines.egress.tls import build_context
from searchengines.errors import Reason
from tests.certificates import make_certificates
from tests.searchengines.egress.calls import local, reason_of, send
from tests.upstream import Upstream


def test_our_own_ca_file_is_trusted_where_the_target_says_so(tls_upstream: Upstream, seen_as_public: None) -> None:
    gate = Egress(EgressSettings(own_ca_file=tls_upstream.ca_file))
    assert send(gate, local(tls_upstream.url, own_ca=True)).status == 200
    assert reason_of(gate, local(tls_upstream.url), pool=("conn_2", 1)) is Reason.TLS
    assert len(tls_upstream.requests) == 1


def test_an_unknown_ca_is_refused(gate: Egress, tls_upstream: Upstream, seen_as_public: None) -> None:
    assert reason_of(gate, local(tls_upstream.url, own_ca=True)) is Reason.TLS
    assert tls_upstream.requests == []


def test_a_certificate_for_another_host_is_refused(seen_as_public: None) -> None:
    with Upstream(tls=True, names=("other.example",)) as server:
        gate = Egress(EgressSettings(own_ca_file=server.ca_file))
        assert reason_of(gate, local(server.url, own_ca=True)) is Reason.TLS
        by_name = Target(f"https://localhost:{server.port}", Reach.LOOPBACK, own_ca=True)
        assert reason_of(gate, by_name) is Reason.TLS
        assert server.requests == []


def test_the_name_in_the_url_is_the_name_in_the_certificate() -> None:
    with Upstream(tls=True, names=("engine.test",)) as server:
        gate = Egress(
            EgressSettings(own_ca_file=server.ca_file),
            lookup=lambda host, port: [(2, 1, 6, "", ("127.0.0.1", port))],
        )
        target = Target(f"https://engine.test:{server.port}", Reach.LOOPBACK, own_ca=True)
        assert send(gate, target).status == 200
        other = Target(f"https://engine2.test:{server.port}", Reach.LOOPBACK, own_ca=True)
        assert reason_of(gate, other) is Reason.UNREACHABLE


def test_plain_text_on_a_tls_port_is_no_answer(upstream: Upstream, seen_as_public: None) -> None:
    gate = Egress(EgressSettings())
    assert reason_of(gate, local(upstream.url.replace("http:", "https:"))) is Reason.TLS
    assert upstream.requests == []


def test_a_failed_handshake_inside_reads_unreachable(gate: Egress, tls_upstream: Upstream) -> None:
    assert reason_of(gate, local(tls_upstream.url)) is Reason.UNREACHABLE


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_an_unusable_ca_file_fails_only_the_targets_that_need_it(
    tmp_path: Path, tls_upstream: Upstream, upstream: Upstream, seen_as_public: None, content: str | None
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    gate = Egress(EgressSettings(own_ca_file=str(path)))
    assert reason_of(gate, local(tls_upstream.url, own_ca=True)) is Reason.TLS
    assert send(gate, local(upstream.url)).status == 200


def test_the_context_is_strict_and_ignores_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys.log"))
    monkeypatch.setenv("SSL_CERT_FILE", str(make_certificates(tmp_path).ca_file))
    context = build_context()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname is True
    assert context.minimum_version is ssl.TLSVersion.TLSv1_2
    assert context.keylog_filename is None
    assert not any("Test authority" in str(certificate) for certificate in context.get_ca_certs())
