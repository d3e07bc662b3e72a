"""The sources of answers: recordings in a folder, a server, or a model on this machine."""

import hashlib
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

KEYS: Final = ("GRADER_READER_KEY", "OPENAI_API_KEY")
"""Variables of the environment that may hold a server's key; the first that is set counts."""
_RECORDED_MOST: Final = 4 * 2**20
_TRIES: Final = 4
_FIRST_WAIT: Final = 1.0
_LONGEST_WAIT: Final = 60.0
_AGAIN: Final = (408, 409, 425, 429, 500, 502, 503, 504)
"""Answers of a server after which it is asked again, a little later."""
_MOST_BYTES: Final = 8 * 2**20


class ReaderError(Exception):
    """There is no answer; the message says why. `is_final`: the others need not be asked either."""

    def __init__(self, message: str, *, is_final: bool = False, too_long: bool = False) -> None:
        super().__init__(message)
        self.is_final, self.too_long = is_final, too_long


class ReaderChoiceError(Exception):
    """The reader that was named cannot be used; the message says what to do."""


@dataclass(frozen=True)
class ReaderReply:
    """An answer's text, and how many tokens it cost, where the reader tells."""

    answer: str
    tokens: int = 0


class Reader(Protocol):
    """An interface that answers requests. `name` identifies it in results and cards, `parameters` are the other things
    that its answers depend on; `leaves` says where texts go if they leave this machine."""

    @property
    def name(self) -> str:
        """The name that results use for the reader."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters that its answers depend on beside the request."""

    @property
    def leaves(self) -> str | None:
        """The host that texts are sent to, if that is another machine."""

    def ask(self, instruction: str, text: str, schema: Mapping[str, Any]) -> ReaderReply:
        """An answer to one request. Raises ReaderError."""


@dataclass(frozen=True)
class Recordings:
    """Answers kept as `<student id>.json` in a folder."""

    folder: Path

    @property
    def name(self) -> str:
        """The name that results use for the reader; the folder's place does not matter."""
        return "recordings"

    def answer_of(self, student: str) -> str:
        """The recorded answer about a student's hand-in. Raises ReaderError."""
        path = self.folder / f"{student}.json"
        try:
            if path.stat().st_size > _RECORDED_MOST:
                raise ReaderError("the recording is too large")
            return path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError as error:
            raise ReaderError("there is no recording of it") from error
        except OSError as error:
            raise ReaderError(f"the recording cannot be read ({error.strerror})") from error


@dataclass(frozen=True)
class Server:
    """A server with the interface of OpenAI's chat completions: `url` ends before `/chat/completions`."""

    url: str
    model: str
    timeout: float = 300.0
    most_tokens: int = 8_000
    key: str = field(default="", repr=False)
    wait: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def name(self) -> str:
        """The name that results use for the reader, without anything that a URL may reveal of a user."""
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"openai:{parts.hostname or ''}{port}{parts.path.rstrip('/')}#{self.model}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Sent with every request."""
        return {"model": self.model, "temperature": 0, "seed": 0, "max_tokens": self.most_tokens}

    @property
    def leaves(self) -> str | None:
        """The server's host, unless it is this machine."""
        host = urlsplit(self.url).hostname or ""
        return None if _is_here(host) else host

    def ask(self, instruction: str, text: str, schema: Mapping[str, Any]) -> ReaderReply:
        """An answer, held to the schema where the server can do that. Raises ReaderError."""
        body = {
            **self.parameters,
            "messages": [{"role": "system", "content": instruction}, {"role": "user", "content": text}],
        }
        form = {"type": "json_schema", "json_schema": {"name": "stated", "schema": schema, "strict": False}}
        try:
            return self._answered(self._posted({**body, "response_format": form}))
        except _FormRefusedError:  # a server that knows no schemas
            return self._answered(self._posted(body))

    def _posted(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        import httpx2 as httpx

        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        problem = ""
        with httpx.Client(timeout=self.timeout, trust_env=self.leaves is not None, headers=headers) as client:
            for number in range(_TRIES):
                pause = min(_FIRST_WAIT * 2**number, _LONGEST_WAIT)
                try:
                    status, retry_after, content = _fetched(client, f"{self.url}/chat/completions", body)
                except (httpx.TimeoutException, TimeoutError):
                    problem = f"the server did not answer within {self.timeout:g} seconds"
                except httpx.TransportError as error:
                    problem = f"the server cannot be reached ({type(error).__name__})"
                except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                    raise ReaderError(f"the server cannot be asked ({type(error).__name__})", is_final=True) from error
                else:
                    if status == 200:
                        return _json(content)
                    _explain(status, content, has_form="response_format" in body)
                    problem = f"the server answers with status {status}"
                    pause = min(
                        max(pause, float(retry_after) if retry_after.strip().isdecimal() else 0.0), _LONGEST_WAIT
                    )
                if number + 1 < _TRIES:
                    self.wait(pause * random.uniform(0.5, 1))  # noqa: S311  # no secret
        raise ReaderError(problem)

    def _answered(self, reply: Mapping[str, Any]) -> ReaderReply:
        try:
            choice = reply["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ReaderError("the server's answer has another form") from error
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            raise ReaderError("the model refuses to answer")
        if choice.get("finish_reason") == "length":
            raise ReaderError("the answer was cut off", too_long=True)
        if not isinstance(content, str) or not content.strip():
            raise ReaderError("the answer is empty")
        usage = reply.get("usage")
        tokens = usage.get("total_tokens", 0) if isinstance(usage, dict) else 0
        return ReaderReply(content, tokens if isinstance(tokens, int) else 0)


class _FormRefusedError(Exception):
    """The server does not know the form that answers are to be held to."""


def _fetched(client: Any, url: str, body: Mapping[str, Any]) -> tuple[int, str, bytes]:
    """Status, `Retry-After`, and content, of which no more is taken than an answer may have; all within the time that
    the client allows for one read, however slowly bytes come."""
    end = time.monotonic() + client.timeout.read
    with client.stream("POST", url, json=body) as response:
        content = bytearray()
        for piece in response.iter_bytes():
            content += piece
            if len(content) > _MOST_BYTES:
                raise ReaderError("the server's answer is too long")
            if time.monotonic() > end:
                raise TimeoutError
        return response.status_code, response.headers.get("retry-after", ""), bytes(content)


def _explain(status: int, content: bytes, *, has_form: bool) -> None:
    """Raise what tells why a server refuses, unless it may be asked once more."""
    text = content[:2_000].decode("utf-8", "replace").lower()
    if status in (400, 413, 422):
        if "context" in text or "too long" in text or "maximum" in text or status == 413:
            raise ReaderError("the text is too long for the model", too_long=True)
        if has_form:
            raise _FormRefusedError
    if status in (401, 403):
        raise ReaderError(f"the server refuses the key (status {status}); set {KEYS[0]}", is_final=True)
    if status == 404:
        raise ReaderError("the server knows no such model or address (status 404)", is_final=True)
    if status not in _AGAIN:
        raise ReaderError(f"the server answers with status {status}")


def _json(content: bytes) -> Mapping[str, Any]:
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ReaderError("the server's answer is no JSON") from error
    if not isinstance(reply, dict):
        raise ReaderError("the server's answer has another form")
    return reply


def _is_here(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def choose_reader(spec: str) -> "Recordings | Reader":
    """The reader that a specification such as `openai:http://localhost:11434/v1#qwen3` names. Raises
    ReaderChoiceError."""
    kind, _, rest = spec.partition(":")
    if kind == "recordings" and rest:
        folder = Path(rest)
        if not folder.is_dir():
            raise ReaderChoiceError(f"--reader {spec}: no folder {folder}; name the one that holds <student id>.json.")
        return Recordings(folder)
    if kind == "openai" and rest:
        return _server(spec, rest)
    if kind == "transformers" and rest:
        return _local(spec, rest)
    forms = "recordings:FOLDER, openai:URL#MODEL or transformers:FOLDER"
    raise ReaderChoiceError(f"--reader {spec}: no reader of that kind; use {forms}.")


def _server(spec: str, rest: str) -> Server:
    url, _, model = rest.partition("#")
    parts = urlsplit(url)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable or not model or parts.username or parts.password:
        raise ReaderChoiceError(
            f"--reader openai:{'…' if '@' in url else rest}: write openai:URL#MODEL, such as "
            f"openai:http://localhost:11434/v1#qwen3:14b; a key stands in the variable {KEYS[0]}, not in the URL."
        )
    try:
        import httpx2  # noqa: F401
    except ImportError as error:
        raise ReaderChoiceError("--reader openai needs httpx2: pip install 'lab-grader[reader]'.") from error
    key = next((os.environ[name] for name in KEYS if os.environ.get(name)), "")
    return Server(url.rstrip("/").removesuffix("/chat/completions"), model, key=key)


def _local(spec: str, rest: str) -> Reader:
    from importlib.metadata import entry_points

    folder = Path(rest)
    if not folder.is_dir():
        raise ReaderChoiceError(f"--reader {spec}: no folder {folder}; name the one that holds the model.")
    found = next(iter(entry_points(group="lab_grader.readers", name="transformers")), None)
    try:
        if found is None:
            raise ImportError("reference")
        reader: Reader = found.load()(folder)
    except ImportError as error:
        raise ReaderChoiceError(
            "--reader transformers needs the libraries of the lab's models: pip install 'lab-grader[reference]'."
        ) from error
    except (OSError, ValueError) as error:
        raise ReaderChoiceError(f"--reader {spec}: {error}") from error
    return reader


def hash_of(*parts: object) -> str:
    """SHA-256 of some values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
