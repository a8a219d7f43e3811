"""TLS contexts: built once, from the public roots and at most one file of the deployment's own."""

import ssl

import certifi

from searchengines.egress.wire import TlsSocket


def build_context(own_ca_file: str | None = None) -> ssl.SSLContext:
    """A verifying client context. Raises `OSError` (`ssl.SSLError` too) when the CA file cannot be used.

    Not `ssl.create_default_context`, which would honour SSLKEYLOGFILE and SSL_CERT_FILE of the environment.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    context.set_alpn_protocols(["http/1.1"])
    context.load_verify_locations(certifi.where())
    if own_ca_file is not None:
        context.load_verify_locations(own_ca_file)
    context.sslsocket_class = TlsSocket
    return context
