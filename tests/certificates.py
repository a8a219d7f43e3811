"""Certificates for local TLS servers: a fresh authority and one leaf that it signed."""

import datetime
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Certificates:
    """``ca_file`` is what a client trusts; ``chain_file`` has the server's key and certificate."""

    ca_file: Path
    chain_file: Path

    def server_context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain_file)
        return context


def make_certificates(directory: Path, names: tuple[str, ...] = ("localhost", "127.0.0.1", "::1")) -> Certificates:
    """Write an authority and a server certificate for ``names`` (host names or addresses) into ``directory``."""
    now = datetime.datetime.now(datetime.UTC)
    authority_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
    authority = (
        x509.CertificateBuilder(authority_name, authority_name, authority_key.public_key(), x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    server = (
        x509.CertificateBuilder(
            authority_name,
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test server")]),
            server_key.public_key(),
            x509.random_serial_number(),
        )
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    ca_file, chain_file = directory / "ca.pem", directory / "server.pem"
    ca_file.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    key = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain_file.write_bytes(key + server.public_bytes(serialization.Encoding.PEM))
    return Certificates(ca_file, chain_file)


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
