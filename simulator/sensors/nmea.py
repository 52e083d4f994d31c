"""NMEA 0183 sentences GGA, RMC and VTG of a fix.

Numbers are rounded once, in decimal arithmetic, before they are split: minutes stay below 60, the course below 360 degrees, and a time
that rounds up to midnight takes the next date.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal

NO_FIX, SINGLE, DIFFERENTIAL, RTK_FIXED, RTK_FLOAT, SIMULATED = 0, 1, 2, 4, 5, 8
"""Quality of a fix, as in GGA."""
MODES = {NO_FIX: "N", SINGLE: "A", DIFFERENTIAL: "D", RTK_FIXED: "R", RTK_FLOAT: "F", SIMULATED: "S"}
"""Mode of RMC and VTG by quality."""
MAX_HDOP = 99.9
"""Largest dilution that a receiver reports."""
KNOT = 1852.0 / 3600.0
"""m/s."""
MINUTE_DIGITS = 7
"""Decimal places of a minute: 0.2 mm. A sentence that would be longer than MAX_SENTENCE has fewer."""
MIN_DIGITS = 3
"""Minimum number of decimal places: 2 m."""
MAX_SENTENCE = 82
"""Maximum number of characters of a sentence, with CR and LF."""


@dataclass(frozen=True)
class Fix:
    """Content of the sentences.

    Parameters
    ----------
    time : UTC
    latitude, longitude : [deg]
    height : above the ellipsoid [m]
    geoid : height of the geoid above the ellipsoid [m]
    quality : NO_FIX, SINGLE, ...
    speed : over ground [m/s]
    course : over ground, clockwise from true north [deg]
    """

    time: datetime
    latitude: float
    longitude: float
    height: float
    geoid: float
    quality: int
    satellites: int
    hdop: float
    speed: float
    course: float


def sentences(fix: Fix, talker: str = "GP") -> tuple[str, str, str]:
    """Return the sentences GGA, RMC and VTG, without CR and LF. A fix of the quality NO_FIX has empty fields."""
    time = _rounded_time(fix.time)
    clock, date = time.strftime("%H%M%S.") + f"{time.microsecond // 10_000:02d}", time.strftime("%d%m%y")
    mode, known = MODES[fix.quality], fix.quality != NO_FIX
    course = _course(fix.course) if known else ""
    heights = (f"{fix.height - fix.geoid:.2f}", f"{fix.geoid:.2f}") if known else ("", "")
    knots, kph = (f"{fix.speed / KNOT:.3f}", f"{fix.speed * 3.6:.3f}") if known else ("", "")
    hdop = f"{min(fix.hdop, MAX_HDOP):.1f}" if known else ""
    vtg = framed(f"{talker}VTG,{course},T,,M,{knots},N,{kph},K,{mode}")
    gga = f"{talker}GGA,{clock},", f",{fix.quality},{fix.satellites:02d},{hdop},{heights[0]},M,{heights[1]},M,,"
    rmc = f"{talker}RMC,{clock},{'A' if known else 'V'},", f",{knots},{course},{date},,,{mode}"
    return _with_place(*gga, fix, known), _with_place(*rmc, fix, known), vtg


def _with_place(before: str, after: str, fix: Fix, known: bool) -> str:
    """Return a sentence with the position between two texts, with as many decimal places as MAX_SENTENCE permits."""
    if not known:
        return framed(f"{before},,,{after}")
    for digits in range(MINUTE_DIGITS, MIN_DIGITS, -1):
        sentence = framed(before + _place(fix, digits) + after)
        if len(sentence) + 2 <= MAX_SENTENCE:
            return sentence
    return framed(before + _place(fix, MIN_DIGITS) + after)


def _place(fix: Fix, digits: int) -> str:
    return f"{_angle(fix.latitude, 2, 'NS', digits)},{_angle(fix.longitude, 3, 'EW', digits)}"


def framed(body: str) -> str:
    """Return a sentence: $, the body, * and the checksum, which is the exclusive or of all characters of the body."""
    return f"${body}*{checksum(body):02X}"


def checksum(body: str) -> int:
    """Return the checksum of the characters between $ and *."""
    total = 0
    for byte in body.encode("ascii"):
        total ^= byte
    return total


def is_valid(sentence: str) -> bool:
    """Return True if a sentence has a correct checksum."""
    body, _, given = sentence.strip().removeprefix("$").rpartition("*")
    if not sentence.startswith("$") or not body or len(given) != 2:
        return False
    try:
        return int(given, 16) == checksum(body)
    except (ValueError, UnicodeEncodeError):
        return False


def _rounded_time(time: datetime) -> datetime:
    """Return a time rounded to 10 ms, UTC."""
    time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    hundredths = (time.microsecond + 5_000) // 10_000
    return time.replace(microsecond=0) + timedelta(milliseconds=10 * hundredths)


def _angle(degrees: float, width: int, sides: str, digits: int) -> str:
    """Return an angle as degrees and minutes with its side."""
    step = Decimal(1).scaleb(-digits)
    minutes = (abs(Decimal(repr(degrees))) * 60).quantize(step, ROUND_HALF_EVEN)
    whole, rest = divmod(minutes, 60)
    side = sides[1] if math.copysign(1.0, degrees) < 0.0 else sides[0]
    return f"{int(whole):0{width}d}{rest:0{3 + digits}.{digits}f},{side}"


def _course(degrees: float) -> str:
    """Return a course, from 0.00 to 359.99."""
    rounded = Decimal(repr(degrees)).quantize(Decimal("0.01"), ROUND_HALF_EVEN) % 360
    return f"{rounded:.2f}"
