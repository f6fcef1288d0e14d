"""The client: one class for the server, one for what a caller sees of it."""

from __future__ import annotations

import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterator, Mapping, Optional, Sequence, Union
from uuid import uuid4

Json = Mapping[str, Any]
#: Attempts after the first, for failures that the server calls retryable.
RETRIES = 3


class NokosuError(Exception):
    """A failure with its code, such as ``MEMORY_NOT_FOUND``; ``details["field"]`` names a field that is wrong."""

    def __init__(self, code: str, message: str, details: Optional[Json] = None, retryable: bool = False) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.details = dict(details or {})
        self.retryable = retryable


class Nokosu:
    """A server: ``nokosu serve``. ``url`` and ``token`` default to ``NOKOSU_DB`` and ``NOKOSU_TOKEN``."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, timeout: float = 30.0) -> None:
        self.url = (url or os.environ.get("NOKOSU_DB") or "http://127.0.0.1:4816").rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f"a server's address begins with http:// or https://, not {self.url!r}")
        self._token = token or os.environ.get("NOKOSU_TOKEN")
        self._timeout = timeout

    def as_(
        self,
        *,
        agent_id: Optional[str] = None,
        user_id: Optional[str] = None,
        session_id: Optional[str] = None,
        task_id: Optional[str] = None,
        section_id: Optional[str] = None,
        project_id: Optional[str] = None,
        team_id: Optional[str] = None,
        org_id: Optional[str] = None,
        company_id: Optional[str] = None,
    ) -> "Memories":
        """The memory as one caller sees it: everything else does not exist."""
        given = {
            "agentId": agent_id,
            "userId": user_id,
            "sessionId": session_id,
            "taskId": task_id,
            "sectionId": section_id,
            "projectId": project_id,
            "teamId": team_id,
            "orgId": org_id,
            "companyId": company_id,
        }
        return Memories(self, {name: value for name, value in given.items() if value is not None})

    def healthy(self) -> bool:
        """Whether the server answers and its store does too."""
        try:
            self.request("GET", "/readyz", retries=0)
        except (NokosuError, OSError):
            return False
        return True

    def request(
        self,
        method: str,
        path: str,
        query: Optional[Json] = None,
        body: Optional[Any] = None,
        retries: int = RETRIES,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """One call of the API; ``docs/rest.md`` lists the routes. Writes are repeated safely: they carry a key."""
        sent = {"Accept": "application/json", **(headers or {})}
        if self._token:
            sent["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        if method == "POST":
            sent.setdefault("Idempotency-Key", str(uuid4()))
        text = urllib.parse.urlencode([(name, value) for name, value in _flat(query or {})])
        address = f"{self.url}{path}" + (f"?{text}" if text else "")
        data = None if body is None else json.dumps(body).encode()
        attempt = 0
        while True:
            wait = 0.1 * 2**attempt * (1 + random.random())
            try:
                request = urllib.request.Request(address, data=data, headers=sent, method=method)
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    content = answer.read()
                    return json.loads(content) if content else None
            except urllib.error.HTTPError as failure:
                error = _error_of(failure)
                after = failure.headers.get("Retry-After") or ""
                wait = float(after) if after.isdigit() else wait
                if not error.retryable or attempt >= retries:
                    raise error from None
            except OSError as failure:  # Refused, cut off or too slow.
                if attempt >= retries:
                    raise NokosuError("PROVIDER_ERROR", f"{self.url} does not answer: {failure}", retryable=True) from failure
            attempt += 1
            time.sleep(wait)


class Memories:
    """What one caller can do. Made with ``Nokosu().as_(project_id="shop")``. Answers are the API's own, as dictionaries."""

    def __init__(self, server: Nokosu, identifiers: Mapping[str, str]) -> None:
        self._server = server
        self._identifiers = dict(identifiers)

    def add(self, content: str, **fields: Any) -> Json:
        """Adds one observation: a repeat reinforces, a correction corrects; ``outcome`` says which. ``exact=True`` stores it as given."""
        return self._post("/api/memories", {"content": content, **_camel(fields)})

    def bulk_add(self, memories: Sequence[Union[str, Json]]) -> Json:
        """Adds many; ``outcomes`` says what became of each."""
        items = [{"content": each} if isinstance(each, str) else _camel(each) for each in memories]
        owned = [{"identifiers": self._identifiers, **each} for each in items]
        return self._post("/api/memories/bulk", {"memories": owned}, claimed=False)

    def search(self, query: str, **options: Any) -> Json:
        """Finds by meaning and by word: ``limit``, ``threshold``, ``mode``, ``layers``, ``tags``, ``filter``, ``order``."""
        return self._post("/api/memories/search", {"query": query, **_camel(options)})

    def list(self, **filters: Any) -> Iterator[Json]:
        """All memories, newest first, page by page: ``category``, ``service``, ``tags``, ``include_inactive``, ``limit`` of a page."""
        cursor: Optional[str] = None
        while True:
            page = {} if cursor is None else {"cursor": cursor}
            answer = self._server.request("GET", "/api/memories", {**self._identifiers, **_camel(filters), **page})
            yield from answer["memories"]
            cursor = answer["nextCursor"]
            if cursor is None:
                return

    def get(self, memory_id: str) -> Optional[Json]:
        """One memory, or None."""
        try:
            return self._one("GET", memory_id)
        except NokosuError as error:
            if error.code == "MEMORY_NOT_FOUND":
                return None
            raise

    def update(self, memory_id: str, **changes: Any) -> Json:
        """Changes a memory; metadata is merged."""
        return self._one("PATCH", memory_id, body=_camel(changes))

    def delete(self, memory_id: str) -> None:
        """Deletes a memory; succeeds if it does not exist."""
        self._one("DELETE", memory_id)

    def history(self, memory_id: str) -> Json:
        """Every change to a memory, oldest first."""
        return self._one("GET", memory_id, "/history")

    def context(self, **options: Any) -> Json:
        """The block for a prompt: ``for_`` the task at hand, ``session``, ``budget``, ``format``, ``query``. ``text`` is empty if nothing is known."""
        return self._post("/api/context", _camel(options))

    def recall(self, moment: Json, **options: Any) -> Json:
        """What matters now: ``recall({"kind": "failure", "input": "make test", "error": stderr}, session="run-1")``. Mostly nothing."""
        return self._post("/api/recall", {"moment": moment, **_camel(options)})

    def record(self, event: Json, **options: Any) -> Json:
        """Reports a workflow event: ``record({"type": "rejection", "taskId": "T7", "notes": "..."})``."""
        return self._post("/api/events", {**self._identifiers, **event, **_camel(options)}, claimed=False)

    def _post(self, path: str, body: Json, claimed: bool = True) -> Any:
        claim = {"identifiers": self._identifiers} if claimed else {}
        return self._server.request("POST", path, body={**claim, **body})

    def _one(self, method: str, memory_id: str, tail: str = "", body: Optional[Json] = None) -> Any:
        path = f"/api/memories/{urllib.parse.quote(memory_id, safe='')}{tail}"
        return self._server.request(method, path, self._identifiers, body)


def _camel(fields: Json) -> dict[str, Any]:
    """``happened_at`` is ``happenedAt`` on the wire, ``for_`` is ``for``."""

    def name(snake: str) -> str:
        first, *rest = snake.rstrip("_").split("_")
        return first + "".join(part.capitalize() for part in rest)

    return {name(key): value for key, value in fields.items()}


def _flat(query: Json) -> Iterator[tuple[str, str]]:
    for name, value in query.items():
        if isinstance(value, (list, tuple)):
            yield from ((name, str(each)) for each in value)
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, dict):
            yield name, json.dumps(value)
        else:
            yield name, str(value)


def _error_of(failure: urllib.error.HTTPError) -> NokosuError:
    try:
        error = json.loads(failure.read())["error"]
        return NokosuError(error["code"], error["message"], error.get("details"), bool(error.get("retryable")))
    except (ValueError, KeyError, TypeError):
        return NokosuError("PROVIDER_ERROR", f"the server answered {failure.code}", retryable=failure.code >= 500)
