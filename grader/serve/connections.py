"""Connections of which none keeps others out: a client that owes something has bounded time for it, and when there are
many connections, the one that has owed something for the longest makes room for a new one.

uvicorn bounds only the time between two requests of a connection.
"""

import asyncio
from collections.abc import Hashable
from typing import Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

BACKLOG: Final = 128
"""Connections that are taken at once: few beside those that may be there, as each is an open file."""
_MOST: Final = 400
"""At a time. A new one beyond these takes the place of one that owes something, or is refused if none does."""
_SECONDS: Final = 20.0
"""For the head of a request, for each `_STEP` of its body, and for taking any of what is sent."""
_STEP: Final = 64 * 1024


class BoundedConnection(H11Protocol):
    """A connection whose client has bounded time for all that it owes."""

    _owed: Hashable = None
    _clock: asyncio.TimerHandle | None = None
    _since = 0.0
    _requests = _received = _unsent = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that it is told whether anything waits to be sent
        self._look()
        if len(self.connections) > _MOST:
            others = [one for one in self.connections if isinstance(one, BoundedConnection) and one is not self]
            if owing := [one for one in others if one._owed is not None]:
                longest = min(owing, key=lambda one: one._since)
                self.connections.discard(longest)
                longest.transport.abort()
            else:
                self.limit_concurrency = 0  # which refuses its requests

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._clock:
            self._clock.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come, and see what is owed now."""
        self._received += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._requests += 1
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Begin to wait until the client takes what is sent."""
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self._look()

    def resume_writing(self) -> None:
        """See what is owed now that the client has taken it."""
        super().resume_writing()
        self._unsent = 0
        self._look()

    def _look(self) -> None:
        owed: Hashable = None
        if self._unsent:
            owed = self._unsent
        elif self.conn.their_state is h11.IDLE:
            owed = ("head", self._requests)
        elif self.conn.their_state is h11.SEND_BODY:
            owed = ("body", self._received // _STEP)
        if owed == self._owed:
            return
        if self._clock:
            self._clock.cancel()
        self._owed, self._since = owed, self.loop.time()
        self._clock = None if owed is None else self.loop.call_later(_SECONDS, self._late)

    def _late(self) -> None:
        if 0 < (left := self.transport.get_write_buffer_size()) < self._unsent:
            self._unsent = left
            self._look()
        else:
            self.transport.abort()
