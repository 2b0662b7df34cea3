"""Values of match fields, parameters and registers."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from typing import Any

from jettison.errors import ControllerError

Value = int | bytes | str | ipaddress.IPv4Address | ipaddress.IPv6Address
"""A number, or what stands for one: big-endian bytes, an address, hexadecimal text."""

Criterion = Value | tuple[Value, Value] | ipaddress.IPv4Network | ipaddress.IPv6Network
"""What a match field must be: a value; a prefix, ``"10.0.0.0/8"`` or ``(value, length)``; value and mask of a ternary field; least
and greatest value of a range."""

_MAC = re.compile(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}")


def number(value: Value) -> int:
    """The number of a value.

    Raises:
        ControllerError: It is none.
    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (bytes, bytearray)):
        return int.from_bytes(value, "big")
    if isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return int(value)
    if isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        if _MAC.fullmatch(value):
            return int(value.replace(":", ""), 16)
        try:
            return int(value, 0)
        except ValueError:
            pass
        try:
            return int(ipaddress.ip_address(value))
        except ValueError:
            pass
    raise ControllerError(
        f'a value must be an integer, bytes, an IP or MAC address, or hexadecimal text such as "0x1f", got {value!r}'
    )


def text(value: Value) -> str:
    """The form in which a value passes to the switch."""
    return hex(number(value))


def criterion(value: Criterion) -> dict[str, Any]:
    """The form in which a criterion passes to the switch."""
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ControllerError(f"a match field takes a value or a pair, got {len(value)} values")
        return {"pair": [text(value[0]), text(value[1])]}
    if isinstance(value, (ipaddress.IPv4Network, ipaddress.IPv6Network)):
        return {"prefix": [hex(int(value.network_address)), value.prefixlen]}
    if isinstance(value, str) and "/" in value:
        address, _, length = value.partition("/")
        if not length.isdigit():
            raise ControllerError(f'a prefix must be of the form "10.0.0.0/8", got {value!r}')
        return {"prefix": [text(address), int(length)]}
    return {"value": text(value)}


def criteria(match: Mapping[str, Criterion | None]) -> dict[str, Any]:
    """The criteria by field; ``None`` matches any value."""
    return {field: criterion(value) for field, value in match.items() if value is not None}


def read_criteria(match: Mapping[str, Any]) -> dict[str, int | tuple[int, int]]:
    """Criteria that the switch has returned: a number, value and length of a prefix, value and mask, or a range."""
    found: dict[str, int | tuple[int, int]] = {}
    for field, given in match.items():
        if "value" in given:
            found[field] = int(given["value"], 16)
        elif "prefix" in given:
            found[field] = (int(given["prefix"][0], 16), given["prefix"][1])
        else:
            found[field] = (int(given["pair"][0], 16), int(given["pair"][1], 16))
    return found


def datum(value: object) -> Any:
    """The form in which a register's value passes to the switch: numbers, ``bool``, or structs as dictionaries or sequences."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): datum(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return [datum(each) for each in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return text(value)  # pyright: ignore[reportArgumentType]


def read_datum(value: Any) -> Any:
    """A value that the switch has returned: ``int``, ``bool``, or a dictionary or list of them."""
    if isinstance(value, dict):
        return {key: read_datum(each) for key, each in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [read_datum(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    return value if isinstance(value, bool) else int(value, 16)
