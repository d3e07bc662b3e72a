"""Submissions that are alike, in their prose, their logged accuracies or their wrong answers. Likeness asks for a look;
it proves nothing by itself: the same seeds on the same kind of machine give the same accuracies to the last digit.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import ceil
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final

from grader.cohort.rows import PARTS
from grader.frozen import Frozen
from grader.message import Words, say, say_values
from grader.result import Result, SeriesPrint, Status

LEAST_SHARE: Final = 0.4
FEWEST_RUNS: Final = 60
"""Fewest hashes in the smaller of two compared samples; with fewer, chance dominates."""
_FEWEST_OWNERS: Final = 5
_MOST_OWNERS: Final = 50
_SHARE_OF_CLASS: Final = 0.2


class LikeTexts(Frozen):
    """A group of students, each of whose texts is similar to at least one other. `least` and `most`, over the similar
    pairs, are the share (0 to 1) of the shorter text's runs of five words that also occur in the other text; `runs` is
    the length of each student's text."""

    students: tuple[str, ...]
    pairs: int
    least: float
    most: float
    runs: tuple[int, ...]
    meaning: Words


_MOST_HELD: Final = 1_000_000
"""Hashes that stay in memory; those of a larger class go to the disk, and are compared in a process of their own."""


class Texts:
    """The fingerprints of a class's prose, one result after the other.

    Runs of words that many students share come from the course and do not count; many is more than a fifth of the class
    or 50 students, but never 5 or fewer. Identical hand-ins are reported separately.
    """

    def __init__(self) -> None:
        self._students: list[str] = []
        self._submissions: list[bytes] = []
        self._runs = array("I")
        self._whole = bytearray()
        self._hashes = array("I")
        self._ends = array("Q", [0])
        self._file: IO[bytes] | None = None

    def add(self, result: Result) -> None:
        """One more student."""
        if not result.prose:
            return
        hashes = result.prose.hashes
        self._students.append(result.student.id)
        self._submissions.append(result.submission.sha256.encode())
        self._runs.append(result.prose.runs)
        self._whole.append(result.prose.is_whole)
        self._hashes.extend(hashes)
        self._ends.append(self._ends[-1] + len(hashes))
        if len(self._hashes) >= _MOST_HELD:
            self._put_down()

    def _put_down(self) -> None:
        if self._file is None:
            self._file = NamedTemporaryFile()  # noqa: SIM115  # closed when nobody needs it
        self._hashes.tofile(self._file)
        del self._hashes[:]

    def similar_groups(self) -> tuple[LikeTexts, ...]:
        """The groups of students whose prose is alike, the most alike first."""
        alike = self.pairs()
        # The groups are the connected components of the pairs.
        group_of: dict[int, list[int]] = {}
        for first, second in alike:
            first_group, other = (group_of.setdefault(place, [place]) for place in (first, second))
            if first_group is not other:
                first_group += other
                group_of.update(dict.fromkeys(other, first_group))
        joined = [sorted(group) for group in {id(group): group for group in group_of.values()}.values()]
        groups = [self._group(members, alike) for members in joined]
        return tuple(sorted(groups, key=lambda texts: (-texts.most, texts.students)))

    def pairs(self) -> dict[tuple[int, int], float]:
        """The similar texts of different hand-ins, by their places among those that have prose, each with the share of
        common runs."""
        if len(self._students) < 2:
            return {}
        if self._file is None:
            found = list(similar_texts(self._hashes, self._ends, self._whole))
        else:
            self._put_down()
            found = self._compared_apart(self._file)
        return {
            (first, second): share
            for first, second, share in found
            if self._submissions[first] != self._submissions[second]
        }

    def _compared_apart(self, hashes: IO[bytes]) -> list[tuple[int, int, float]]:
        """As `similar_texts`, in another process, whose memory is given back at once."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        hashes.flush()
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
            found = other.submit(_similar_in, hashes.name, self._ends, bytes(self._whole)).result()
        hashes.close()
        return found

    def _group(self, members: Sequence[int], alike: Mapping[tuple[int, int], float]) -> LikeTexts:
        inside = set(members)
        shares = [share for (first, _), share in alike.items() if first in inside]
        return LikeTexts(
            students=tuple(self._students[place] for place in members),
            pairs=len(shares),
            least=round(min(shares), 3),
            most=round(max(shares), 3),
            runs=tuple(self._runs[place] for place in members),
            meaning=say(
                "Up to {share:.0f} % of the sequences of five words in the shorter text are in the other text, too. "
                "Numbers, formulas, tables, code, references, the lab's own words and words that many students share "
                "do not count. Similar texts are no proof of copying: they may come from one source or one group.",
                share=max(shares) * 100,
            ),
        )


_SLICES: Final = 16
"""Parts of all hashes that are sorted one after the other."""
_TOGETHER: Final = 4_000_000
"""Pairs of texts that are counted at a time."""


def similar_texts(hashes: Any, ends: Any, whole: Any) -> Iterator[tuple[int, int, float]]:
    """The pairs of similar texts, and the share of the common runs, estimated from the range in which both texts were
    sampled. The hashes of text i are `hashes[ends[i]:ends[i + 1]]`, in order; `whole` says whether they are all.

    An index from each hash to its few owners finds every pair that shares one; nothing is sampled further, so no pair
    is missed. As a hash has at most 50 owners, the work grows with the class and not with its square.
    """
    import numpy as np

    hashes, until = np.asarray(hashes, dtype=np.uint32), np.asarray(ends, dtype=np.int64)
    texts = len(until) - 1
    of_hash, kept = _few(hashes, until, max(_FEWEST_OWNERS, min(_MOST_OWNERS, ceil(_SHARE_OF_CLASS * texts))))
    kept_hashes, starts = hashes[kept], np.concatenate(([0], np.cumsum(kept)))[until]
    bounds = np.where(np.frombuffer(bytes(whole), dtype=np.uint8) > 0, 2**62, hashes[until[1:] - 1].astype(np.int64))
    for first, second, common in _common(*of_hash, texts):
        end = min(bounds[first], bounds[second])
        smaller = min(
            int(np.searchsorted(kept_hashes[starts[place] : starts[place + 1]], end, side="right"))
            for place in (first, second)
        )
        if smaller >= FEWEST_RUNS and common / smaller >= LEAST_SHARE:
            yield first, second, common / smaller


def _few(hashes: Any, until: Any, most: int) -> tuple[tuple[Any, Any], Any]:
    """The owners of each hash that has two to `most`, one hash after the other, with the number of those that follow
    with the same hash; and of all hashes, whether at most so many texts have it."""
    import numpy as np

    kept = np.ones(len(hashes), dtype=bool)
    all_owners, all_following = [], []
    for number in range(_SLICES):
        places = np.flatnonzero(hashes % _SLICES == number)
        places = places[np.argsort(hashes[places], kind="stable")]
        sorted_ = hashes[places]
        begins = np.flatnonzero(np.concatenate(([True], sorted_[1:] != sorted_[:-1]))[: len(sorted_)])
        times = np.diff(np.append(begins, len(sorted_)))
        owned = np.repeat(times, times)
        kept[places[owned > most]] = False
        shared = (owned > 1) & (owned <= most)
        following = np.repeat(begins + times, times) - np.arange(len(sorted_)) - 1
        all_owners.append((np.searchsorted(until, places[shared], side="right") - 1).astype(np.int32))
        all_following.append(following[shared].astype(np.int8))
    return (np.concatenate(all_owners), np.concatenate(all_following)), kept


def _common(owners: Any, following: Any, texts: int) -> Iterator[tuple[int, int, int]]:
    """The pairs of texts that may be similar, the lower place first, and how many hashes they share."""
    import numpy as np

    least = ceil(LEAST_SHARE * FEWEST_RUNS)
    by_owner = np.argsort(owners, kind="stable").astype(np.int32)
    pairs = np.concatenate(([0], np.cumsum(following[by_owner], dtype=np.int64)))
    begins = np.searchsorted(owners[by_owner], np.arange(texts + 1))
    start = 0
    while start < texts:
        stop = max(start + 1, int(np.searchsorted(pairs[begins], pairs[begins[start]] + _TOGETHER, side="right")) - 1)
        entries = by_owner[begins[start] : begins[stop]]
        count = following[entries].astype(np.int64)
        first = np.repeat(owners[entries].astype(np.int64), count)
        nth = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
        second = owners[np.repeat(entries, count) + 1 + nth]
        found, common = np.unique(first * texts + second, return_counts=True)
        enough = common >= least
        for pair, number in zip(found[enough].tolist(), common[enough].tolist(), strict=True):
            yield *divmod(pair, texts), number
        start = stop


def _similar_in(file: str, ends: Sequence[int], whole: bytes) -> list[tuple[int, int, float]]:
    import numpy as np

    return list(similar_texts(np.fromfile(file, dtype=np.uint32), ends, whole))


class IdenticalSubmissions(Frozen):
    """Students whose hand-ins have the same file names and the same bytes."""

    sha256: str
    students: tuple[str, ...]


class Similarity(Frozen):
    """The similarities between hand-ins, by kind."""

    identical_submissions: tuple[IdenticalSubmissions, ...]
    texts: tuple[LikeTexts, ...] = ()


class HandIns:
    """The hand-ins of a class by their content, one result after the other. Empty ones are left out, as they are
    always equal."""

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}
        self._groups: dict[str, list[str]] = {}

    def add(self, result: Result) -> None:
        """One more student."""
        sha256 = result.submission.sha256
        if not result.submission.files:
            return
        first = self._owner.setdefault(sha256, result.student.id)
        if first != result.student.id:
            self._groups.setdefault(sha256, [first]).append(result.student.id)

    def identical(self) -> tuple[IdenticalSubmissions, ...]:
        """The students with the same hand-in, in the order of the first of each."""
        groups = ((sha256, self._groups[sha256]) for sha256 in self._owner if sha256 in self._groups)
        return tuple(IdenticalSubmissions(sha256=sha256, students=tuple(students)) for sha256, students in groups)


class SharedSeries(Frozen):
    """Students whose logs hold the same accuracy curves. For staff only; it proves nothing about anyone."""

    students: tuple[str, ...]
    series: tuple[Words, ...]
    meaning: Words


class Series:
    """The logged curves of a class, one result after the other; each is remembered by a hash, 16 bytes."""

    def __init__(self) -> None:
        self._students: list[str] = []
        self._titles: dict[tuple[object, ...], int] = {}
        self._shown: list[str] = []
        self._values = array("Q")
        self._by, self._title = array("I"), array("I")

    def add(self, result: Result) -> None:
        """One more student."""
        for series in result.series:
            named = series.experiment, series.seed, series.split
            if named not in self._titles:
                self._titles[named] = len(self._titles)
                self._shown.append(_title(series))
            self._values.append(_hash(series.values))
            self._by.append(len(self._students))
            self._title.append(self._titles[named])
        self._students.append(result.student.id)

    def shared_series(self) -> tuple[SharedSeries, ...]:
        """The groups of students with common curves, the largest first."""
        groups: dict[tuple[str, ...], set[str]] = {}
        for places in self._equal():
            students = tuple(sorted({self._students[self._by[place]] for place in places}))
            if len(students) > 1:
                groups.setdefault(students, set()).add(self._shown[self._title[places[0]]])
        meaning = say(
            "The values are the same. The same seeds give the same values on similar machines, so this is no sign "
            "of copying."
        )
        found = [
            SharedSeries(students=by, series=tuple(sorted(titles)), meaning=meaning) for by, titles in groups.items()
        ]
        return tuple(sorted(found, key=lambda series: (-len(series.students), series.students)))

    def _equal(self) -> Iterator[list[int]]:
        """The places of the curves with the same values, in order; few of all are in memory at a time."""
        for part in range(PARTS):
            places: dict[int, list[int]] = {}
            for place, values in enumerate(self._values):
                if values % PARTS == part:
                    places.setdefault(values, []).append(place)
            yield from (equal for equal in places.values() if len(equal) > 1)


def _title(series: SeriesPrint) -> str:
    experiment = series.experiment or say("an unknown experiment")
    if series.seed is None:
        return say_values("{experiment}, {split}", experiment=experiment, split=series.split)
    return say_values(
        "{experiment}, {seed}, {split}",
        experiment=experiment,
        seed=say("seed {seed}", seed=series.seed),
        split=series.split,
    )


_FEWEST_GIVERS: Final = 3
_LEAST_GIVERS: Final = 0.2
"""Least share of the class: fewer students may make the same mistake by chance, or copy it from each other."""

_LOST: Final = (Status.INCORRECT, Status.PARTIAL)


class SharedAnswer(Frozen):
    """An answer to one rubric item that several students gave and that did not earn full points."""

    item: str
    title: Words
    found: Words
    expected: Words | None
    students: tuple[str, ...]
    meaning: Words


_MOST_ANSWERS: Final = 20_000
"""Answers whose words are remembered at a time."""


class Answers:
    """The answers that did not earn full points, one result after the other; pending ones count unless full points are
    suggested.

    An answer is remembered as a hash and its student, 12 bytes. The words of those that too few have given so far are
    forgotten now and then: an answer that enough have in the end is given again after that.
    """

    def __init__(self) -> None:
        self._students: list[str] = []
        self._given = array("Q")
        self._by = array("I")
        self._words: dict[int, tuple[str, str]] = {}
        self._titles: dict[str, tuple[str, str | None]] = {}

    def add(self, result: Result) -> None:
        """One more graded student."""
        for item in result.items:
            verdict = item.suggestion if item.status is Status.REVIEW else item.status
            if item.found and verdict in _LOST:
                key = _hash(item.id, item.found)
                self._given.append(key)
                self._by.append(len(self._students))
                self._words.setdefault(key, (item.id, item.found))
                self._titles.setdefault(item.id, (item.title, item.expected))
        self._students.append(result.student.id)
        if len(self._words) > _MOST_ANSWERS:
            self._forget()

    def _forget(self) -> None:
        """Forgets the words of answers that too few have given so far."""
        times = dict.fromkeys(self._words, 0)
        for key in self._given:
            if key in times:
                times[key] += 1
        enough = _LEAST_GIVERS * len(self._students)
        self._words = {key: words for key, words in self._words.items() if times[key] >= enough}

    def shared_answers(self) -> tuple[SharedAnswer, ...]:
        """The answers that many gave, the most frequent first."""
        fewest = max(_FEWEST_GIVERS, ceil(_LEAST_GIVERS * len(self._students)))
        givers: dict[int, list[str]] = {key: [] for key in self._words}
        for key, by in zip(self._given, self._by, strict=True):
            if key in givers:
                givers[key].append(self._students[by])
        found = [
            SharedAnswer(
                item=self._words[key][0],
                title=self._titles[self._words[key][0]][0],
                found=self._words[key][1],
                expected=self._titles[self._words[key][0]][1],
                students=tuple(students),
                meaning=say(
                    "{count} of {students} students gave this answer. Before you return grades, check the right "
                    "answer and the wording of the question.",
                    count=len(students),
                    students=len(self._students),
                ),
            )
            for key, students in givers.items()
            if len(students) >= fewest
        ]
        return tuple(
            sorted(
                found, key=lambda shared_answer: (-len(shared_answer.students), shared_answer.item, shared_answer.found)
            )
        )


def _hash(*texts: str) -> int:
    data = "\0".join(texts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")
