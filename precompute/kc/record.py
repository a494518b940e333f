"""One record of one wheel, and of the two of an axle: all that metrics are computed from.

Everything is in axes of ISO 8855 fixed to the body (x forward, y left, z up; `Axes.R @ v` of what the mechanism has),
in SI units and radians, over a batch of points (...).  Fields of an order that was not asked for are None.  Arrays may
be complex: metrics are analytic in all of them, so that a derivative by a design variable is a complex step.

Velocities are columns along n rates: n independent ways in which the axle can move, any ones (travel of each wheel and
steering; or joint coordinates), as many as wheels, and one more if it is steered.  What "travel with steering held"
and the like is among them, `modes` finds.  Twists are [angular; linear] at the wheel centre, as wrenches are [moment;
force] there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from precompute.errors import PrecomputeError
from precompute.model.wheels import Axes, End, Side, Vehicle, Wheel

Complex = NDArray[Any]
"""Real or complex."""

Role = Literal["spring", "damper", "stop", "anti_roll_bar", "element", "steering"]

Hold = Literal["spring", "centre", "patch"]


@dataclass(frozen=True)
class Choices:
    """What definitions leave open."""

    held: Hold = "spring"  # while a wheel is steered: length of its first spring, height of its centre or of its patch
    contact: Literal["lowest", "fixed"] = (
        "lowest"  # point of the disc; or the point of the carrier that was it at design
    )
    travel: Literal["centre", "patch"] = "centre"  # whose height is travel
    roll: Literal["body", "ground"] = "body"  # what roll is relative to: level pads move; or the road tilts
    vertical: Literal["load", "height"] = "load"  # what a wheel keeps while forces act across and along

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(Choices).items():
            if getattr(self, name) not in get_args(hint):
                known = ", ".join(f"'{word}'" for word in get_args(hint))
                raise PrecomputeError(f"the choice {name} is {getattr(self, name)!r}; it is one of {known}")


_Of = TypeVar("_Of")


def once(function: Callable[[_Of], Complex]) -> Callable[[_Of], Complex]:
    """A function of a record whose value is kept with it: many metrics ask for the same contact points."""

    @wraps(function)
    def kept(record: _Of) -> Complex:
        values = vars(record).setdefault("_kept", {})
        if function not in values:
            values[function] = function(record)
        return values[function]

    return kept


@dataclass(frozen=True, eq=False)
class WheelData:
    """A wheel as it was designed."""

    name: str
    side: Side
    centre: Complex  # (3,) [m]
    spin: Complex  # (3,) unit, to the left on both sides
    contact: Complex  # (3,) [m] the lowest point of the disc
    radius: Any  # [m] loaded
    tyre_rate: Any = None  # [N/m]

    @property
    def outboard(self) -> float:
        """1 where left is outboard, -1 where it is inboard."""
        return 1.0 if self.side == "left" else -1.0


@dataclass(frozen=True, eq=False)
class Element:
    """A scalar along the motion: the length of a spring, the twist of a bar, the steering."""

    name: str
    role: Role
    angular: bool  # in rad, otherwise in m
    value: Complex  # (...) [m or rad]
    gradient: Complex | None = None  # (..., n) along the rates
    second: Complex | None = None  # (..., n, n)
    force: Complex | None = None  # (...) [N or N m], positive where it drives the value up: in a pressed spring
    sense: float = -1.0  # of its change where it is pressed, or wound up: a distance gets shorter


@dataclass(frozen=True, eq=False)
class Record:
    """One wheel, over a batch of points."""

    wheel: WheelData
    centre: Complex  # (..., 3) of the wheel [m]
    R: Complex  # (..., 3, 3) rotation of the carrier since design
    road: Complex  # (..., 3) unit, away from the road; (0, 0, 1) unless the body rolls over it
    choices: Choices = Choices()
    balls: Complex | None = None  # (..., 2, 3) [m] lower and upper one that carry the wheel; None if there are no two
    steering: Element | None = None  # None of a wheel that is not steered
    elements: tuple[Element, ...] = ()  # that this wheel's travel moves; its main spring is the first spring
    # -- velocities: None for metrics of position alone ------------------------------------------------------------
    W: Complex | None = None  # (..., 6, n) twist of the carrier along the rates, [rad; m]
    ball_rates: Complex | None = None  # (..., 2, 3, n) of the balls [m]
    other: Complex | None = None  # (..., n) travel of the other wheel; None of a corner alone; `axle` fills it
    other_second: Complex | None = None  # (..., n, n) its second derivatives; filled as well
    dW: Complex | None = None  # (..., 6, n, n) dW[:, i, j] = d(W[:, i])/d(rate j); linear: of the centre's velocity
    # -- statics ---------------------------------------------------------------------------------------------------
    load: Complex | None = None  # (...) [N] of the road on the wheel, along `road`

    def __post_init__(self) -> None:
        batch = np.shape(self.centre)[:-1]
        n = 0 if self.W is None else np.shape(self.W)[-1]
        shapes = {
            "centre": (3,), "R": (3, 3), "road": (3,), "balls": (2, 3), "W": (6, n), "ball_rates": (2, 3, n),
            "other": (n,), "other_second": (n, n), "dW": (6, n, n), "load": (),
        }  # fmt: skip
        for name, shape in shapes.items():
            _check_shape(f"{name} of wheel '{self.wheel.name}'", getattr(self, name), batch, shape)
        for element in (*self.elements, *([self.steering] if self.steering else [])):
            for name, shape in (("value", ()), ("gradient", (n,)), ("second", (n, n)), ("force", ())):
                _check_shape(f"{name} of '{element.name}'", getattr(element, name), batch, shape)

    @property
    def spin(self) -> Complex:
        """(..., 3) unit, along the axle of the wheel, to the left."""
        return (self.R @ self.wheel.spin[..., None])[..., 0]

    def of_role(self, role: Role) -> tuple[Element, ...]:
        """The elements of a role."""
        return tuple(element for element in self.elements if element.role == role)


@dataclass(frozen=True, eq=False)
class AxleRecord:
    """Two wheels side by side at the same points, along the same rates; `axle` makes it."""

    name: str
    left: Record
    right: Record
    end: End | None = None
    vehicle: Vehicle | None = None
    mirrored: bool = False  # whether one side was made from the other
    compliance: Complex | None = None  # (..., 12, 12) twists [left; right] per wrenches, at the centres, steering held
    compliance_without_bars: Complex | None = None  # (..., 12, 12) the same with all anti-roll bars taken out

    def __post_init__(self) -> None:
        batch = np.shape(self.left.centre)[:-1]
        for name in ("compliance", "compliance_without_bars"):
            _check_shape(f"{name} of axle '{self.name}'", getattr(self, name), batch, (12, 12))
        if np.shape(self.right.centre)[:-1] != batch:
            raise ValueError(f"the wheels of axle '{self.name}' are recorded at different points")
        if self.left.wheel.side != "left" or self.right.wheel.side != "right":
            raise ValueError(f"the wheels of axle '{self.name}' are on the wrong sides")

    @property
    def wheels(self) -> tuple[Record, Record]:
        """Left and right."""
        return self.left, self.right


def wheel_data(wheel: Wheel, axes: Axes) -> WheelData:
    """A wheel of a mechanism in axes of ISO 8855."""
    turn = axes.R
    return WheelData(
        wheel.name,
        wheel.side,
        turn @ wheel.centre,
        turn @ wheel.spin_axis,
        turn @ wheel.contact(axes),
        wheel.radius,
        wheel.tyre_rate,
    )


def _check_shape(what: str, value: Any, batch: tuple[int, ...], shape: tuple[int, ...]) -> None:
    if value is not None and np.shape(value) != (*batch, *shape):
        raise ValueError(f"{what} has shape {np.shape(value)}, expected {(*batch, *shape)}")
