"""`agentteam exec`: what an agent may use, and its use, from a shell (contract section 7).

Standard output carries one JSON document, the server's answer or `{"error": ..}`; everything else goes to standard
error. Knows neither Django nor the rest of the project, so that it starts at once. The token is read from the
environment only, sent to the one server of AGENTTEAM_URL, never along a redirect or through an ambient proxy.
"""

import argparse
import http.client
import json
import os
import re
import ssl
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import SplitResult, quote, urlsplit

EXIT_STATUS = {
    "invalid_input": 2,
    "unauthenticated": 3,
    "permission_denied": 3,
    "not_found": 4,
    "extension_not_found": 4,
    "rate_limited": 5,
    "throttled": 5,
    "provider_auth_unavailable": 6,
    "upstream_failure": 7,
}
OTHER_STATUS = 1
INTERRUPTED_STATUS = 130

DEFAULT_TIMEOUT_SECONDS = 30.0
MAX_INPUT_BYTES = 256 * 1024
MAX_ANSWER_BYTES = 16 * 1024 * 1024
EXAMPLE = """'{"query": "harbor ferry timetable", "limit": 5}'"""
TOKEN = re.compile(r"(?<![A-Za-z0-9])at[aps]_[A-Za-z0-9_-]{16,}", re.ASCII)

EPILOG = """\
environment:
  AGENTTEAM_URL    address of the server, e.g. https://agents.example.com
  AGENTTEAM_TOKEN  the agent's token; it is taken from nowhere else

exit status:
  0 done · 2 usage or invalid_input · 3 authentication or permission · 4 not found
  5 rate_limited or throttled · 6 provider_auth_unavailable · 7 upstream_failure · 1 anything else
"""


class Failure(Exception):
    """What ends a run: an error in the API's own shape. ``reason`` says why no server answered."""

    def __init__(self, code: str, message: str, reason: str | None = None) -> None:
        super().__init__(message)
        error = {"code": code, "message": message}
        self.document: dict[str, Any] = {"error": error if reason is None else {**error, "reason": reason}}


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise Failure("invalid_input", f"Usage: {TOKEN.sub('<token>', message)}")


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON document of the server: ``body`` as sent, ``document`` as read."""

    status: int
    body: bytes
    document: Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    try:
        answer = run(sys.argv[1:] if arguments is None else arguments, os.environ)
    except Failure as failure:
        return report(failure.document, json.dumps(failure.document).encode())
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    return report(answer.document, answer.body)


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> Answer:
    """Raises `Failure` for everything that ends without a JSON document of the server."""
    given = parser().parse_args(arguments)
    if given.action is not None and given.json is None:
        raise Failure("invalid_input", f"Usage: ACTION needs its input, e.g. {EXAMPLE}")
    body = None if given.json is None else read_input(given.json)
    base = server_url(environment)
    headers = {"Authorization": f"Bearer {token(environment)}", "Accept": "application/json"}
    path = "/".join(
        ["/api/v1/exec", *(quote(part, safe="") for part in (given.name, given.action) if part is not None)]
    )
    answer = within(given.timeout, lambda: ask(base, path, headers, body, given.timeout))
    if body is None and answer.status == 200:
        say_help(answer.document)
    return answer


def parser() -> argparse.ArgumentParser:
    top = Parser(prog="agentteam", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    command = commands.add_parser(
        "exec",
        help="list, describe or run the Extensions of an agent",
        description="Without NAME: the Extensions that the agent may use now. With NAME: that one. With all: run it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("name", metavar="NAME", nargs="?", help="an Extension, e.g. brave")
    command.add_argument("action", metavar="ACTION", nargs="?", help="an action of it, e.g. search")
    command.add_argument("json", metavar="JSON", nargs="?", help="its input; - reads standard input, @FILE a file")
    command.add_argument(
        "--timeout", type=seconds, default=DEFAULT_TIMEOUT_SECONDS, metavar="SECONDS", help="for all of it; default 30"
    )
    return top


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 3600:
        raise argparse.ArgumentTypeError("from above 0 to 3600 seconds")
    return value


def read_input(argument: str) -> bytes:
    """The input's bytes as given; the server is the one that judges them, but for what is no JSON at all."""
    try:
        if argument == "-":
            body = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        elif argument.startswith("@"):
            with Path(argument[1:]).open("rb") as file:
                body = file.read(MAX_INPUT_BYTES + 1)
        else:
            body = argument.encode("utf-8", "surrogateescape")
    except OSError as error:
        raise Failure("invalid_input", f"The input cannot be read: {error.strerror}.") from None
    if len(body) > MAX_INPUT_BYTES:
        raise Failure("payload_too_large", f"The input is larger than {MAX_INPUT_BYTES} bytes.")
    try:
        json.loads(body.decode())
    except RecursionError:
        raise Failure("invalid_input", "The input is nested too deep.") from None
    except ValueError:
        hint = f"Quote it for your shell, e.g. {EXAMPLE}, or give - and write it to standard input."
        raise Failure("invalid_input", f"The input is not JSON in UTF-8. {hint}") from None
    return body


def server_url(environment: Mapping[str, str]) -> SplitResult:
    text = environment.get("AGENTTEAM_URL", "").strip()
    if not text:
        raise Failure(
            "invalid_input", "AGENTTEAM_URL is not set: the server's address, e.g. https://agents.example.com"
        )
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username is not None or parts.query or parts.fragment or not text.isascii():
        message = "AGENTTEAM_URL is not an http or https address without user, query and fragment."
        raise Failure("invalid_input", message)
    return parts


def token(environment: Mapping[str, str]) -> str:
    text = environment.get("AGENTTEAM_TOKEN", "").strip()
    if not text:
        raise Failure("unauthenticated", "AGENTTEAM_TOKEN is not set: the agent's token, made on the agents page.")
    if not TOKEN.fullmatch(text):
        raise Failure("unauthenticated", "AGENTTEAM_TOKEN does not hold a token: an agent's begins with ata_.")
    return text


def within(timeout: float, ask_server: Callable[[], Answer]) -> Answer:
    """The deadline holds for all of it, name resolution and a dripping answer too, so a thread is waited for."""
    outcome: list[Answer | Exception] = []

    def work() -> None:
        try:
            outcome.append(ask_server())
        except Exception as error:  # noqa: BLE001 - raised again where it is waited for
            outcome.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(timeout)
    if not outcome:
        raise Failure("unavailable", f"The server did not answer within {timeout:g} seconds.", "timeout")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


def ask(base: SplitResult, path: str, headers: dict[str, str], body: bytes | None, timeout: float) -> Answer:
    """One request, to this server and no other. Raises `Failure`."""
    secure = base.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    server = kind(base.hostname or "", base.port, timeout=timeout)
    if body is not None:
        headers = {**headers, "Content-Type": "application/json"}
    try:
        server.request("GET" if body is None else "POST", base.path.rstrip("/") + path, body, headers)
        response = server.getresponse()
        text = response.read(MAX_ANSWER_BYTES + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise no_answer(error, base, timeout) from None
    finally:
        server.close()
    return read_answer(response, text)


def no_answer(error: Exception, base: SplitResult, timeout: float) -> Failure:
    where = f"{base.scheme}://{base.hostname}" + (f":{base.port}" if base.port else "")
    if isinstance(error, TimeoutError):
        return Failure("unavailable", f"{where} did not answer within {timeout:g} seconds.", "timeout")
    if isinstance(error, ssl.SSLCertVerificationError):
        hint = "For an authority of your own set SSL_CERT_FILE."
        return Failure("unavailable", f"The certificate of {where} does not verify. {hint}", "tls")
    if isinstance(error, ssl.SSLError):
        return Failure("unavailable", f"{where} does not speak TLS as it should. Is it http?", "tls")
    if isinstance(error, http.client.HTTPException | ConnectionResetError | BrokenPipeError):
        return Failure("unavailable", f"{where} broke off or does not speak HTTP.", "unreachable")
    if isinstance(error, ConnectionRefusedError):
        return Failure("unavailable", f"{where} refuses connections. Is the server running?", "unreachable")
    return Failure("unavailable", f"{where} cannot be reached. Is AGENTTEAM_URL right?", "unreachable")


def read_answer(response: http.client.HTTPResponse, body: bytes) -> Answer:
    if 300 <= response.status < 400:
        target = urlsplit(response.getheader("Location", ""))
        there = f" to {target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else ""
        message = f"The server redirects{there}; the token is not sent along. Set AGENTTEAM_URL to the final address."
        raise Failure("unavailable", message, "redirected")
    if len(body) > MAX_ANSWER_BYTES:
        raise Failure("unavailable", "The answer is too large.", "too_large")
    try:
        document = json.loads(body.decode())
    except (ValueError, RecursionError):
        sort = response.headers.get_content_type() if response.getheader("Content-Type") else "no content type"
        message = f"The answer (status {response.status}, {sort}) is not JSON. Is AGENTTEAM_URL right, or does a proxy"
        raise Failure("unavailable", f"{message} answer in the server's place?", "not_json") from None
    if response.status != 200 and not is_error(document):
        raise foreign(response.status)
    return Answer(response.status, body.strip(), document)


def foreign(status: int) -> Failure:
    message = f"The answer (status {status}) is JSON, but not this product's. Is AGENTTEAM_URL right?"
    return Failure("unavailable", message, "bad_shape")


def is_error(document: Any) -> bool:
    error = document.get("error") if isinstance(document, dict) else None
    return isinstance(error, dict) and isinstance(error.get("code"), str) and isinstance(error.get("message"), str)


def report(document: Any, body: bytes) -> int:
    """Write the document; what went wrong is said on standard error too."""
    status = 0
    if is_error(document):
        error = document["error"]
        status = EXIT_STATUS.get(error["code"], OTHER_STATUS)
        lines = [f"agentteam: {error['code']}: {error['message']}"]
        fields = error.get("fields")
        lines += [f"  {name}: {text}" for name, text in fields.items()] if isinstance(fields, dict) else []
        if isinstance(error.get("retryAfter"), int):
            lines.append(f"  Try again in {error['retryAfter']} seconds.")
        say("\n".join(lines))
    try:
        sys.stdout.buffer.write(body + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python would complain again when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OTHER_STATUS
    return status


def say_help(document: Any) -> None:
    """Each action with how it is called, in two lines. Raises `Failure` when the document is no help."""
    lines = []
    try:
        for extension in document.get("extensions", [document]):
            name = extension["name"]
            for action in extension["actions"]:
                lines.append(f"{name} {action['name']}: {action['summary']}")
                lines.append(f"  agentteam exec {name} {action['name']} {EXAMPLE}")
    except (AttributeError, KeyError, TypeError):
        raise foreign(200) from None
    say("\n".join(lines or ["This agent may use no Extension now. An administrator connects one."]))


def say(text: str) -> None:
    """On standard error, without tokens and without what a terminal would obey."""
    masked = TOKEN.sub("<token>", text)
    shown = "".join(character for character in masked if character.isprintable() or character == "\n")
    print(shown, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
