"""The sprung body of a car: a rigid body under its weight and the wrenches of four suspensions.

State: position p of the origin and attitude e (unit quaternion, from chassis to road axes R), angular velocity w and
velocity u of the centre of mass c, both in chassis axes.  With the sums F, M of the wrenches at the origin and gravity

    m (u' + w x u) = F + m R^T g                                                                                    (1)
    I w' + w x I w = M - c x F                                                                                      (2)
    p' = R (u - w x c),     e' = e (0, w) / 2                                                                       (3)

by the midpoint rule over the step, with the wrenches held.  The outputs are what suspensions want to know: twist of the
origin v = u - w x c and its rates v' = u' - w' x c in chassis axes, gravity R^T g; and the pose for the tyres.
"""

from __future__ import annotations

from typing import Any

from kinetab_part import Part, places, three
from kinetab_rotation import cross, plus, rotation, turned, turned_back, turning, unit

PARAMETERS = {
    "mass": 1700.0,  # [kg]
    **dict.fromkeys(three("com"), 0.0),  # c [m]
    **dict.fromkeys(three("inertia"), 1000.0),  # xx, yy, zz about c [kg m2]
    "speed": 0.0,  # [m/s] forward at the start
    "height": 0.0,  # [m] of the origin at the start
    "gravity": 9.80665,  # [m/s2] downward
}
CORNERS = (1, 2, 3, 4)
INPUTS = {name: 0.0 for i in CORNERS for name in three(f"F{i}", f"M{i}")}  # [N], [N m] at the origin, chassis axes
OUTPUTS = [*three("p"), *(f"e[{i}]" for i in (1, 2, 3, 4)), *three("v", "w", "vd", "wd", "g")]
AT = places([*PARAMETERS, *INPUTS])
State = tuple[list[float], list[float], list[float], list[float]]  # p, e, u, w


class KinetabChassis(Part):
    """The body."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.description = "Rigid body under gravity and the wrenches of four suspensions"
        self.state: State
        self.lay_out(PARAMETERS, INPUTS, OUTPUTS)

    def react(self, time: float, step: float) -> list[float]:
        """A step of the midpoint rule."""
        if not self.stepped:  # the start values are known now
            (speed,), (height,) = self.values[AT["speed"]], self.values[AT["height"]]
            self.state = ([0.0, 0.0, height], [1.0, 0.0, 0.0, 0.0], [speed, 0.0, 0.0], [0.0, 0.0, 0.0])
        loads = self.values[len(PARAMETERS) : self.first_output]
        force = [sum(loads[6 * i + k] for i in range(4)) for k in range(3)]
        moment = [sum(loads[6 * i + 3 + k] for i in range(4)) for k in range(3)]
        begin, com = self.state, self.values[AT["com"]]
        half = moved(begin, 0.5 * step, self.rates(begin, force, moment))
        p, e, u, w = moved(begin, step, self.rates(half, force, moment))
        self.state = (p, unit(e), u, w)
        _, _, ud, wd = self.rates(self.state, force, moment)
        v, vd = plus(u, -1.0, cross(w, com)), plus(ud, -1.0, cross(wd, com))
        return [*p, *self.state[1], *v, *w, *vd, *wd, *self.weight(self.state[1])]

    def weight(self, e: list[float]) -> list[float]:
        """R^T g."""
        return turned_back(rotation(*e), (0.0, 0.0, -self.values[AT["gravity"]][0]))

    def rates(self, state: State, force: list[float], moment: list[float]) -> State:
        """Of p, e, u, w: equations (1) to (3)."""
        _, e, u, w = state
        (mass,), com, inertia = self.values[AT["mass"]], self.values[AT["com"]], self.values[AT["inertia"]]
        ud = plus(plus(self.weight(e), 1.0 / mass, force), -1.0, cross(w, u))  # (1)
        own = cross(w, [i * x for i, x in zip(inertia, w, strict=True)])
        rest = plus(plus(moment, -1.0, cross(com, force)), -1.0, own)
        wd = [x / i for i, x in zip(inertia, rest, strict=True)]  # (2)
        pd = turned(rotation(*e), plus(u, -1.0, cross(w, com)))  # (3)
        return pd, turning(e, w), ud, wd


def moved(state: State, step: float, rates: State) -> State:
    """State + step rates."""
    p, e, u, w = (plus(x, step, xd) for x, xd in zip(state, rates, strict=True))
    return p, e, u, w
