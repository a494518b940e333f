"""Plain names and units of an FMU's variables, for legends and for the command line: `marker.wheel.r[3]` is "wheel.z".

A plain name says whose quantity it is and which; the kind of object ("spring", "damper") stands between only where two
variables would be called the same: "shock.spring.force".  Files keep the FMU's own names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fmu_src.model.units import DISPLAY
from precompute.errors import PrecomputeError
from precompute.hints import nearest

AXES = dict(zip("123456", "xyzxyz", strict=True))
ANGLES = dict(zip("123", ("roll", "pitch", "yaw"), strict=True))

KINDS = {"q": "coordinate", "qd": "coordinate", "qdd": "coordinate", "Q": "coordinate"}
"""What the first part of a name says, where that is not plain."""


@dataclass(frozen=True)
class Rule:
    """Variables whose names follow a pattern."""

    pattern: str  # of the whole name
    plain: str  # with {0}, {1} ... for its groups, {axis} or {angle} for a number in brackets, which is the last group
    title: str  # of what they are drawn together with
    drawn: bool = False  # without being asked for


RULES = (
    Rule(r"port\.(\w+)\.([FM])\[(\d)\]", "{0}.{1}{axis}", "Inputs"),
    Rule(r"wheel\.(\w+)\.([FM])\[(\d)\]", "{0}.{1}{axis}", "Inputs"),
    Rule(r"wheel\.(\w+)\.(road\.n)\[(\d)\]", "{0}.{1}{axis}", "Inputs"),
    Rule(r"wheel\.(\w+)\.(torque|spin|road\.d)", "{0}.{1}", "Inputs"),
    Rule(r"Q\.(\w+)", "{0}.load", "Inputs"),
    Rule(r"drive\.(\w+)\.q", "{0}.drive", "Inputs"),
    Rule(r"drive\.(\w+)\.qd", "{0}.drive.rate", "Inputs"),
    Rule(r"drive\.(\w+)\.qdd", "{0}.drive.acceleration", "Inputs"),
    Rule(r"gravity\[(\d)\]", "gravity.{axis}", "Inputs"),
    Rule(r"q\.(\w+)", "{0}", "Coordinates", drawn=True),
    Rule(r"q\.(\w+\.\w+)", "{0}", "Deflections", drawn=True),
    Rule(r"marker\.(\w+)\.(steer|camber)", "{0}.{1}", "Wheel", drawn=True),
    Rule(r"marker\.(\w+)\.r\[(\d)\]", "{0}.{axis}", "Displacement since the start", drawn=True),
    Rule(r"measure\.(\w+)", "{0}", "Measures", drawn=True),
    Rule(r"(?:spring|damper)\.(\w+)\.force", "{0}.force", "Springs and dampers", drawn=True),
    Rule(r"element\.(\w+)\.force\.(\w+)", "{0}.force.{1}", "Forces of elements", drawn=True),
    Rule(r"drive\.(\w+)\.force", "{0}.drive.force", "Drives", drawn=True),
    Rule(r"rod\.(\w+)\.force", "{0}.force", "Rods"),
    Rule(r"rod\.(\w+)\.(F)\[(\d)\]", "{0}.{1}{axis}", "Rods"),
    Rule(r"joint\.(\w+)\.([FM])\[(\d)\]", "{0}.{1}{axis}", "Joints"),
    Rule(r"chassis\.([A-Za-z]+)\[(\d)\]", "chassis.{0}{axis}", "Chassis"),
    Rule(r"energy\.(\w+)", "{0}.energy", "Energy", drawn=True),
    Rule(r"qd\.(.+)", "{0}.velocity", "Velocities"),
    Rule(r"qdd\.(.+)", "{0}.acceleration", "Accelerations"),
    Rule(r"qddd\.(.+)", "{0}.jerk", "Jerks"),
    Rule(r"marker\.(\w+)\.([vw])\[(\d)\]", "{0}.{1}{axis}", "Velocities of markers"),
    Rule(r"marker\.(\w+)\.(a|alpha)\[(\d)\]", "{0}.{1}{axis}", "Accelerations of markers"),
    Rule(r"marker\.(\w+)\.(jerk)\[(\d)\]", "{0}.{1}.{axis}", "Jerks of markers"),
    Rule(r"marker\.(\w+)\.angle\[(\d)\]", "{0}.{angle}", "Angles of markers"),
    Rule(r"marker\.(\w+)\.(\w+)", "{0}.{1}", "Wheel"),
    Rule(r"wheel\.(\w+)\.(\w+\.\w+)\[(\d)\]", "{0}.{1}{axis}", "Contacts of wheels"),
    Rule(r"wheel\.(\w+)\.(\w+\.\w+)", "{0}.{1}", "Contacts of wheels"),
    Rule(r"wheel\.(\w+)\.(motion_ratio\.\w+\.\w+)", "{0}.{1}", "Motion ratios"),
    Rule(r"wheel\.(\w+)\.(\w+)", "{0}.{1}", "Wheel"),
    Rule(r"measure\.(\w+)\.rate", "{0}.rate", "Rates"),
    Rule(r"measure\.(\w+)\.acceleration", "{0}.acceleration", "Accelerations"),
    Rule(r"measure\.(\w+)\.jerk", "{0}.jerk", "Jerks"),
    Rule(r"(?:spring|damper)\.(.+)", "{0}", "Springs and dampers"),
    Rule(r"element\.(\w+)\.(\w+)", "{0}.{1}", "Elements"),
    Rule(r"force\.(.+)", "{0}", "Constant forces"),
    Rule(r"bushing\.(\w+)\.(deflection|rate|force)\[([123])\]", "{0}.{1}.{axis}", "Bushings"),
    Rule(r"bushing\.(\w+)\.deflection\[([456])\]", "{0}.rotation.{axis}", "Bushings"),
    Rule(r"bushing\.(\w+)\.rate\[([456])\]", "{0}.rotation_rate.{axis}", "Bushings"),
    Rule(r"bushing\.(\w+)\.force\[([456])\]", "{0}.moment.{axis}", "Bushings"),
    Rule(r"(.+)", "{0}", "Other quantities"),
)
"""The first that fits counts; the order is that of the panels of a picture."""


def rule_of(name: str) -> tuple[Rule, str]:
    """The rule of a variable, and its plain name by it."""
    for rule in RULES:
        if found := re.fullmatch(rule.pattern, name):
            last = found.groups()[-1]
            return rule, rule.plain.format(*found.groups(), axis=AXES.get(last), angle=ANGLES.get(last))
    raise AssertionError("the last rule fits everything")


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Variable -> plain name, all different."""
    plain = {name: rule_of(name)[1] for name in names}
    for longer in (with_kind, lambda name, word: name):
        count = Counter(plain.values())
        plain = {name: longer(name, word) if count[word] > 1 else word for name, word in plain.items()}
    return plain


def with_kind(name: str, plain: str) -> str:
    """A plain name with the kind of object behind whose it is."""
    owner, *rest = plain.split(".")
    kind = name.partition(".")[0]
    return ".".join([owner, KINDS.get(kind, kind), *rest])


def label(plain: str) -> str:
    """A plain name in a legend or a line of text."""
    return plain.replace(".", " ")


def joint_label(plain: Sequence[str]) -> str:
    """Several of them in one entry: what they have in common at their ends is said once."""
    heads = {word.rpartition(".")[0] for word in plain}
    ends = {word.rpartition(".")[2] for word in plain}
    if len(plain) > 1 and len(ends) == 1 and "" not in heads:
        return ", ".join(label(word.rpartition(".")[0]) for word in plain) + f" {ends.pop()}"
    return ", ".join(label(word) for word in plain)


def shown(unit: str) -> tuple[str, float]:
    """A unit as an engineer reads it, and its factor."""
    found = DISPLAY.get(unit)
    return (found.name if found else unit).replace(".", " "), found.factor if found else 1.0


def chosen(words: str, plain: Mapping[str, str]) -> list[str]:
    """The variables that a list such as "wheel.z,steer" asks for: each by its plain name, by the end of it, or its own.

    Raises:
        PrecomputeError: a word fits none.
    """
    found: dict[str, None] = {}
    for word in filter(None, (word.strip() for word in words.split(","))):
        exact = [name for name, own in plain.items() if word in (name, own)]
        fitting = exact or [name for name, own in plain.items() if own.endswith(f".{word}")]
        if not fitting:
            raise PrecomputeError(f"--show: nothing is called '{word}'; {nearest(word, plain.values())}")
        found.update(dict.fromkeys(fitting))
    if not found:
        raise PrecomputeError("--show: name some quantities, such as wheel.z,steer")
    return list(found)
