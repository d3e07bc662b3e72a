"""What a late hand-in costs, as the `[late]` table of `lab.toml` says it."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, model_validator

from grader.frozen import Frozen


class Tier(Frozen):
    """Hand-ins up to so many hours after the deadline lose so many points."""

    hours: Annotated[Decimal, Field(gt=0)]
    points: Annotated[Decimal, Field(ge=0)]


class LatePolicy(Frozen):
    """The rule for late hand-ins. What comes after the last tier is not graded; without tiers nothing is taken off.

    A time that names no zone, the deadline's included, is one of `timezone` (such as `Europe/Paris`); where that is
    empty, a hand-in's time is one of the deadline's zone. Within `grace_minutes` of the deadline nothing is late; after
    that, lateness counts from the deadline.
    """

    deadline: datetime | None = None
    timezone: str = ""
    grace_minutes: Annotated[Decimal, Field(ge=0)] = Decimal(0)
    tiers: tuple[Tier, ...] = ()

    @property
    def due(self) -> datetime | None:
        """The deadline with its zone; None where there is no deadline."""
        return self.zoned(self.deadline) if self.deadline else None

    @property
    def grace(self) -> timedelta:
        """How long after the deadline nothing is late."""
        return timedelta(minutes=float(self.grace_minutes))

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
        hours = [tier.hours for tier in self.tiers]
        if hours != sorted(set(hours)):
            raise ValueError("the hours of the tiers must rise from one to the next")
        return self
