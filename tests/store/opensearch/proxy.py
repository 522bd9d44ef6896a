"""A guarded way to a cluster, as companies have it: with TLS, a login, and rights that may be missing."""

from __future__ import annotations

import ipaddress
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Guard(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    behind: str
    logins: set[str]
    forbidden: set[str]
    """Beginnings of what nobody may ask, as `PUT /`."""
    instead: dict[str, bytes]
    """What is answered to whoever asks for these paths."""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.logins and self.headers.get("authorization") not in self.logins:
            self.say(401, b"Unauthorized", "text/plain")
        elif any(f"{self.command} {self.path}".startswith(each) for each in self.forbidden):
            told = '{"error": {"type": "security_exception", "reason": "no permissions for [%s]"}, "status": 403}'
            self.say(403, (told % self.path).encode())
        elif told := self.instead.get(self.path.partition("?")[0]):
            self.say(200, told)
        else:
            kind = {"content-type": self.headers["content-type"]} if body else {}
            asked = urllib.request.Request(self.behind + self.path, body or None, kind, method=self.command)
            try:
                with urllib.request.urlopen(asked) as found:
                    self.say(found.status, found.read(), found.headers["content-type"])
            except urllib.error.HTTPError as error:
                with error:
                    self.say(error.code, error.read(), error.headers["content-type"])

    def say(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None: ...


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Somebody who does not trust us goes away in the middle of it."""


@contextmanager
def guarded(
    behind: str,
    *,
    logins: set[str] | None = None,
    forbidden: set[str] | None = None,
    instead: dict[str, bytes] | None = None,
    tls: Path | None = None,
) -> Iterator[str]:
    """Where it listens. `tls` holds a key and its certificate."""
    how = {"behind": behind, "logins": logins or set(), "forbidden": forbidden or set(), "instead": instead or {}}
    with _Server(("127.0.0.1", 0), type("Handler", (Guard,), how)) as server:
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(tls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def authority(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate authority of one's own, and what a server on this machine shows: its key and certificate."""
    root, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    us, them = _named(name), _named("127.0.0.1")
    ca = _certificate(us, us, root, x509.BasicConstraints(ca=True, path_length=0)).sign(root, hashes.SHA256())
    place = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    leaf = _certificate(us, them, key, place).sign(root, hashes.SHA256())
    trusted, shown = folder / f"{name}-ca.pem", folder / f"{name}-server.pem"
    trusted.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    shown.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + leaf.public_bytes(serialization.Encoding.PEM)
    )
    return trusted, shown


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(
    issuer: x509.Name, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(extension, critical=True)
    )
