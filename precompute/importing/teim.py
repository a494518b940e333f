"""TeimOrbit text of Adams/Car: subsystems with [HARDPOINT], and bushing property files.

Read: blocks, sub-blocks, tables and comments in the help of Adams Tire on tire and road property files; rows
{hardpoint_name symmetry x_value y_value z_value} and [UNITS] in an assembly file that a user has published; blocks
[BUSHING_ASSEMBLY] of subsystems, and [DAMPING] and [FX_CURVE] .. [TZ_CURVE] of property files, in the tests of a public
reader of them.  Between which bodies bushings are and how they are turned is in templates, not in these files, and is
assumed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from precompute.arrays import Array
from precompute.errors import MechanismError, PrecomputeError
from precompute.importing.fields import shortened, usable

LENGTHS = {
    "mm": 1.0,
    "millimeter": 1.0,
    "cm": 10.0,
    "m": 1000.0,
    "meter": 1000.0,
    "inch": 25.4,
    "in": 25.4,
    "foot": 304.8,
}
"""[mm]"""

FORCES = {"newton": 1.0, "n": 1.0, "knewton": 1000.0, "kilonewton": 1000.0, "pound_force": 4.4482216152605}
"""[N]"""

ANGLES = {"deg": 1.0, "degree": 1.0, "degrees": 1.0, "rad": 57.29577951308232, "radian": 57.29577951308232}
"""[deg]"""

AXES = np.diag([-1.0, -1.0, 1.0])
"""Rows: forward, left and up; x points rearward and y to the right."""

DIRECTIONS = ("FX", "FY", "FZ", "TX", "TY", "TZ")

MOST_PROPERTY = 1_000_000
"""[bytes] Of a property file."""

WORD = re.compile(r"'([^']*)'|(\S+)")


@dataclass
class Block:
    """What stands below a [NAME]."""

    name: str
    values: dict[str, str] = field(default_factory=dict)  # KEY = value, also of its sub-blocks
    rows: list[tuple[int, list[str]]] = field(default_factory=list)  # line, words


def blocks(text: str) -> list[Block]:
    """The blocks of a file, in their order."""
    found: list[Block] = []
    below = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line[0] in "$!{":
            continue
        if line[0] == "[":
            found.append(Block(line.strip("[] ").upper()))
            below = ""
        elif line[0] == "(":
            below = line.strip("() ").upper()
        elif found and not below:
            key, sign, value = line.partition("=")
            if sign and "'" not in key:
                found[-1].values[key.strip().upper()] = value.strip().strip("'").strip()
            else:
                found[-1].rows.append((number, [(a or b).strip() for a, b in WORD.findall(line)]))
    return found


def unit(all_blocks: list[Block], key: str, known: dict[str, float]) -> float:
    """The unit of a file, in ours.

    Raises:
        MechanismError: it is not known.
    """
    word = next((b.values[key] for b in all_blocks if b.name == "UNITS" and key in b.values), next(iter(known)))
    if word.lower() not in known:
        raise MechanismError([f"[UNITS] {key} = '{word}' is not known; it is one of {', '.join(known)}"], "the file")
    return known[word.lower()]


def hardpoints(all_blocks: list[Block]) -> tuple[dict[str, Array], list[str]]:
    """Points of the left side and of the middle.

    Returns:
        By name (3,) [mm] in the file's axes; names of points of the right side, which are passed over.

    Raises:
        MechanismError: rows are not what they should be, all of them; or there are none.
    """
    scale = unit(all_blocks, "LENGTH", LENGTHS)
    found: dict[str, Array] = {}
    right, faults = [], []
    for number, words in (row for b in all_blocks if b.name == "HARDPOINT" for row in b.rows):
        place = _place(words[2:])
        if len(words) != 5 or place is None:
            faults.append(f"line {number}: {shortened(' '.join(words))} is not name, symmetry, x, y, z")
        elif words[1] == "right":
            right.append(words[0])
        elif words[0] in found:
            faults.append(f"line {number}: the point '{words[0]}' is there already; keep one of them")
        else:
            found[words[0]] = scale * place
    if not found and not faults:
        faults.append("it has no [HARDPOINT] with rows name, symmetry, x, y, z")
    if faults:
        raise MechanismError(faults, "the file")
    return found, right


def _place(words: list[str]) -> Array | None:
    try:
        place = np.array([float(word) for word in words])
    except ValueError:
        return None
    return place if place.shape == (3,) and all(map(usable, place)) else None


@dataclass(frozen=True, eq=False)
class Property:
    """A bushing of the file: its curves and dampings along FX .. TZ."""

    curves: tuple[Array | None, ...]  # six of (n, 2): deflection [mm or deg], force that resists it [N or N mm]
    damping: tuple[float, ...]  # six [N s/mm or N mm s/deg]


def bushing_property(text: str) -> Property:
    """A bushing property file.

    Raises:
        MechanismError: curves are no ascending pairs of numbers, all of them; or there are none.
    """
    found = blocks(text)
    length, force, angle = (
        unit(found, key, known) for key, known in (("LENGTH", LENGTHS), ("FORCE", FORCES), ("ANGLE", ANGLES))
    )
    scales = [(length, force)] * 3 + [(angle, force * length)] * 3
    curves: list[Array | None] = []
    damping, faults = [], []
    for direction, (deflection, load) in zip(DIRECTIONS, scales, strict=True):
        rows = [words for b in found if b.name == f"{direction}_CURVE" for _, words in b.rows]
        try:
            curve = np.array([[float(x) for x in words] for words in rows]).reshape(-1, 2)
            given = next((b.values[k] for b in found for k in b.values if k == f"{direction}_DAMPING"), "0")
            damping.append(float(given) * load / deflection)
            if not (all(map(usable, curve.ravel())) and usable(damping[-1])):
                raise ValueError
        except ValueError:
            faults.append(
                f"[{direction}_CURVE] or {direction}_DAMPING has what is no finite number, or no pairs of them"
            )
            continue
        if len(curve) and (len(curve) < 2 or (np.diff(curve[:, 0]) <= 0.0).any()):
            faults.append(f"[{direction}_CURVE] needs two rows or more whose first numbers ascend")
        curves.append(curve * [deflection, load] if len(curve) else None)
    if not faults and all(curve is None for curve in curves):
        faults.append("it has no [FX_CURVE] .. [TZ_CURVE]")
    if faults:
        raise MechanismError(faults, "the property file")
    return Property(tuple(curves), tuple(damping))


def bushing_files(all_blocks: list[Block], beside: Path) -> Iterator[tuple[str, str, Path | None]]:
    """Name, property file and where that is, of all bushings; None if it is not beside the subsystem."""
    for block in all_blocks:
        if block.name != "BUSHING_ASSEMBLY" or block.values.get("SYMMETRY") == "right":
            continue
        named = block.values.get("PROPERTY_FILE", "")
        file = re.split(r"[/\\]", named)[-1]
        places = [folder / file for folder in (beside, beside / "bushings.tbl", beside.parent / "bushings.tbl")]
        yield block.values.get("USAGE", "?"), named, next((p for p in places if file and p.is_file()), None)


def read_property(path: Path) -> Property:
    """The property file.

    Raises:
        PrecomputeError: it cannot be read; a MechanismError has all faults.
    """
    try:
        if path.stat().st_size > MOST_PROPERTY:
            raise MechanismError([f"it has more than {MOST_PROPERTY:,} bytes: that is no bushing"], "the property file")
        return bushing_property(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise PrecomputeError(f"cannot read '{path}': {error.strerror}") from None
    except MechanismError as error:
        raise MechanismError(error.problems, f"'{path.name}', a bushing property file,") from None
