"""Rows about the students of a class of any size: few stay in memory, many lie in a temporary database, and all are
read in order, one after the other. And models that hold such rows, as JSON in pieces.
"""

import re
import sqlite3
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, Final, Generic, TypeVar, overload

from pydantic import BaseModel, WrapValidator

Row = TypeVar("Row", bound=BaseModel)
In = TypeVar("In")
Key = TypeVar("Key")
Out = TypeVar("Out")

MOST_HELD: Final = 10_000
"""Rows of one class that stay in memory: about 10 MB."""
PARTS: Final = 16
"""In so many parts, by their remainders, long lists of hashes are gone through."""
_TOGETHER: Final = 500
_BLOCK: Final = 200
_MOST_BLOCKS: Final = 4
_CACHE: Final = -8000
"""Of the database, in KiB as SQLite wants it."""


class Store:
    """The storage of one class's rows: in memory up to `most` in all, beyond that on the disk, in a file that has no
    name and disappears with the store."""

    def __init__(self, most: int = MOST_HELD) -> None:
        self.database: sqlite3.Connection | None = None
        self._left = most
        self._lists: list[Rows[Any]] = []
        self._is_ordered = False

    def rows(self, model: type[Row]) -> "Rows[Row]":
        """A new list of rows of this type, still empty."""
        made: Rows[Row] = Rows(self, len(self._lists), model)
        self._lists.append(made)
        return made

    def make_room(self) -> None:
        """To be called before a row is added: moves all rows to the disk when there are too many."""
        self._left -= 1
        if self._left >= 0 or self.database:
            return
        self.database = sqlite3.connect("", isolation_level=None)
        weakref.finalize(self, self.database.close)
        self.database.execute(f"PRAGMA cache_size = {_CACHE}")
        self.database.execute("PRAGMA journal_mode = OFF")
        self.database.execute("CREATE TABLE rows (list INTEGER, key BLOB, place INTEGER, data BLOB)")
        for listing in self._lists:
            listing.write()

    def ordered_rows(self, number: int) -> Iterator[bytes]:
        """The rows of a list that lie in the database."""
        if self.database is None:
            return
        if not self._is_ordered:
            self.database.execute("CREATE INDEX ordered ON rows (list, key, place)")
            self._is_ordered = True
        query = "SELECT data FROM rows WHERE list = ? ORDER BY key, place"
        yield from (data for (data,) in self.database.execute(query, (number,)))


class Rows(Sequence[Row]):
    """Rows in the order of their keys, equal keys in the order in which they were added. All are added before any is
    read."""

    def __init__(self, store: Store, number: int, model: type[Row]) -> None:
        self._store, self._number, self._model = store, number, model
        self._held: list[tuple[str, int, Row]] = []
        self._count = 0

    def add(self, row: Row, key: str = "") -> None:
        """Adds a row."""
        self._store.make_room()
        self._held.append((key, self._count, row))
        self._count += 1
        if self._store.database and len(self._held) >= _TOGETHER:
            self.write()

    def write(self) -> None:
        """Moves what is in memory to the database, where there is one."""
        if self._store.database and self._held:
            rows = [
                (self._number, _bytes(key), place, _bytes(row.model_dump_json(by_alias=True)))
                for key, place, row in self._held
            ]
            self._store.database.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", rows)
            self._held.clear()

    def as_sequence(self) -> Sequence[Row]:
        """The rows as a tuple where they are in memory, else these."""
        return self if self._store.database and self._count else tuple(self)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        self.write()
        yield from (row for _, _, row in sorted(self._held, key=lambda entry: entry[:2]))
        yield from map(self._model.model_validate_json, self._store.ordered_rows(self._number))

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return tuple(islice(self, *place.indices(self._count)))
        return next(islice(self, range(self._count)[place], None))


class MappedSequence(Sequence[Out], Generic[In, Out]):
    """A sequence whose elements are changed when they are read."""

    def __init__(self, rows: Sequence[In], change: Callable[[In], Out]) -> None:
        self._rows, self._change = rows, change

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Out]:
        return map(self._change, self._rows)

    @overload
    def __getitem__(self, place: int) -> Out: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Out]: ...

    def __getitem__(self, place: int | slice) -> Out | Sequence[Out]:
        if isinstance(place, slice):
            return tuple(map(self._change, self._rows[place]))
        return self._change(self._rows[place])


class ReadOnDemand(Mapping[Key, Out]):
    """A mapping over known keys whose values are read when they are asked for."""

    def __init__(self, keys: Iterable[Key], read: Callable[[Key], Out]) -> None:
        self._keys, self._read = dict.fromkeys(keys), read

    def __getitem__(self, key: Key) -> Out:
        if key not in self._keys:
            raise KeyError(key)
        return self._read(key)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class ReadTogether(ReadOnDemand[Key, Out]):
    """As `ReadOnDemand`, where the keys are gone through in about their order: a value is read together with its
    neighbours, and those that were read last stay in memory. Of keys that `read` leaves out, there is no value."""

    def __init__(self, keys: Iterable[Key], read: Callable[[list[Key]], Mapping[Key, Out]]) -> None:
        ordered: list[Any] = sorted(keys)

        @lru_cache(_MOST_BLOCKS)
        def block(number: int) -> Mapping[Key, Out]:
            return read(ordered[number * _BLOCK : (number + 1) * _BLOCK])

        super().__init__(ordered, lambda key: block(bisect_left(ordered, key) // _BLOCK)[key])


def parts_of(hashes: Sequence[int]) -> Iterator[list[int]]:
    """The hashes in `PARTS` parts; equal ones are in the same part."""
    for part in range(PARTS):
        yield [digest for digest in hashes if digest % PARTS == part]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _many(value: Any, validate: Callable[[Any], Sequence[Any]]) -> Sequence[Any]:
    return value if isinstance(value, Rows | MappedSequence) else tuple(validate(value))


Many = Annotated[Sequence[Row], WrapValidator(_many)]
"""A field of a model that holds a tuple, or `Rows` as they are."""

_EMPTY: Final = re.compile(r'  "([^"]+)": \[\](,?)')


def json_pieces(model: BaseModel, indent: str = "") -> Iterator[str]:
    """The text of `model.model_dump_json(indent=2, by_alias=True)`, in pieces: no sequence of models is ever in memory
    as a whole."""
    names = {field.alias or name: name for name, field in type(model).model_fields.items()}
    long = {alias: getattr(model, name) for alias, name in names.items() if _holds_models(getattr(model, name))}
    if not long:
        yield model.model_dump_json(indent=2, by_alias=True).replace("\n", f"\n{indent}")
        return
    short = model.model_copy(update={names[alias]: () for alias in long})
    for number, line in enumerate(short.model_dump_json(indent=2, by_alias=True).split("\n")):
        yield f"\n{indent}" if number else ""
        found = _EMPTY.fullmatch(line)
        if found and found[1] in long:
            yield f'  "{found[1]}": ['
            for place, entry in enumerate(long[found[1]]):
                yield f",\n{indent}    " if place else f"\n{indent}    "
                yield from json_pieces(entry, f"{indent}    ")
            yield f"\n{indent}  ]{found[2]}"
        else:
            yield line


def _holds_models(value: object) -> bool:
    return isinstance(value, tuple | Rows | MappedSequence) and len(value) > 0 and isinstance(value[0], BaseModel)
