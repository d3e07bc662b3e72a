"""A grammar that several labs share: a lab's `definitions.toml` may begin from another's and say only what differs."""

from collections.abc import Mapping
from typing import Any, Final

LIKE: Final = "like"
"""The key that names the lab whose definitions are shared."""

Table = Mapping[str, Any]


def shared(base: Table, changes: Table) -> dict[str, Any]:
    """The definitions of `base` with a lab's own entries in their place.

    In `changes`, `[parameters.r.words]` is that table of the parameter `r`; a list or a value replaces the one of the
    same name, and a parameter that `base` lacks is added. Raises ValueError for an entry that would replace nothing,
    since it would be without effect.
    """
    own = {key: value for key, value in changes.items() if key not in (LIKE, "parameters")}
    parameters = changes.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise ValueError("with `like`, what differs of a parameter stands in single brackets: [parameters.its-id]")
    return {**_replaced(base, own, ""), "parameters": _parameters(base.get("parameters", []), parameters)}


def _parameters(base: list[dict[str, Any]], changes: Table) -> list[dict[str, Any]]:
    known = {one["id"] for one in base}
    changed = [_replaced(one, changes.get(one["id"], {}), f"parameters.{one['id']}.") for one in base]
    return [*changed, *({"id": name, **changes[name]} for name in changes if name not in known)]


def _replaced(base: Table, changes: Table, place: str) -> dict[str, Any]:
    result = dict(base)
    for key, value in changes.items():
        if key not in base:
            raise ValueError(f"`{place}{key}` replaces nothing: the shared definitions have no such entry")
        nested = isinstance(value, Mapping) and isinstance(base[key], Mapping)
        result[key] = _replaced(base[key], value, f"{place}{key}.") if nested else value
    return result
