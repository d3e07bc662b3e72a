"""What a late hand-in costs, as the `[late]` table of `lab.toml` says it."""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, model_validator

from grader.frozen import Frozen

MOST_STEPS: Final = 1_000
Percent = Annotated[Decimal, Field(ge=0, le=100)]


class Tier(Frozen):
    """Hand-ins up to so many hours after the deadline lose so many points, or so many percent."""

    hours: Annotated[Decimal, Field(gt=0)]
    points: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    percent: Percent | None = None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.percent is None) == ("points" not in self.model_fields_set):
            raise ValueError("a tier takes off either points or percent: give one of them")
        return self


class Rate(Frozen):
    """So many percent for each begun `every` hours after the deadline; later than `until` hours is not graded."""

    percent: Percent
    every: Annotated[Decimal, Field(gt=0, description="Hours.")] = Decimal(24)
    until: Annotated[Decimal, Field(gt=0, description="Hours.")]


class Base(StrEnum):
    """What a percentage is of: the points that were earned, or all that could be."""

    EARNED = "earned"
    MAXIMUM = "maximum"


class LatePolicy(Frozen):
    """The rule for late hand-ins. What comes after the last tier is not graded; without tiers nothing is taken off.

    A time that names no zone, the deadline's included, is one of `timezone` (such as `Europe/Paris`); where that is
    empty, a hand-in's time is one of the deadline's zone. Within `grace_minutes` of the deadline nothing is late; after
    that, lateness counts from the deadline. A `rate` stands for tiers of its own. `percent_of` is what a percentage is
    of: the points that were `earned`, or the `maximum`.
    """

    deadline: datetime | None = None
    timezone: str = ""
    grace_minutes: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    tiers: tuple[Tier, ...] = ()
    rate: Rate | None = None
    percent_of: Base = Base.EARNED

    @property
    def due(self) -> datetime | None:
        """The deadline with its zone; None where there is no deadline."""
        return self.zoned(self.deadline) if self.deadline else None

    @property
    def grace(self) -> timedelta:
        """How long after the deadline nothing is late."""
        return timedelta(minutes=float(self.grace_minutes))

    @property
    def steps(self) -> tuple[Tier, ...]:
        """The tiers, or those that the rate stands for."""
        if self.rate is None:
            return self.tiers
        rate, hundred = self.rate, Decimal(100)
        number = min(int(-(-rate.until // rate.every)), MOST_STEPS)
        return tuple(
            Tier(hours=min(rate.every * step, rate.until), percent=min(rate.percent * step, hundred))
            for step in range(1, number + 1)
        )

    def zoned(self, time: datetime) -> datetime:
        """A time with its zone: its own, else the policy's, else the deadline's."""
        if time.tzinfo is not None:
            return time
        if self.timezone:
            return time.replace(tzinfo=ZoneInfo(self.timezone))
        return time.replace(tzinfo=self.deadline.tzinfo if self.deadline else None)

    @model_validator(mode="after")
    def _is_a_rule(self) -> Self:
        if self.timezone:
            try:
                ZoneInfo(self.timezone)
            except (ZoneInfoNotFoundError, ValueError, OSError) as error:
                raise ValueError(f"{self.timezone!r} is no time zone; write one such as Europe/Paris") from error
        if self.deadline and not self.timezone and self.deadline.tzinfo is None:
            raise ValueError(
                f"the deadline {self.deadline.isoformat()} names no time zone; write its offset, as in "
                "2023-11-21T23:59+01:00, or set timezone"
            )
        if self.rate is not None and self.tiers:
            raise ValueError("tiers and rate exclude each other; write one of them")
        if self.rate is not None and self.rate.until > self.rate.every * MOST_STEPS:
            raise ValueError(f"the rate has more than {MOST_STEPS} steps; let it end sooner")
        hours = [tier.hours for tier in self.tiers]
        if hours != sorted(set(hours)):
            raise ValueError("the hours of the tiers must rise from one to the next")
        return self
