"""Roll control: what two active anti-roll bars do against the roll of a car, in the loop of its driver.

An accelerometer at the place c tells, in chassis axes,

    a = v' + w x v + w' x c + w x (w x c) - g                                                                       (1)

and the driver's steering s, before the car follows, what it will tell,

    ahead = v_x^2 ratio s / (wheelbase + understeer v_x^2)                                                          (2)

The bars turn the body against the moment M.  Their ends push the wheel of one side up and that of the other down, with
forces that follow what is asked for with a lag T,

    M = moment ((1 - share) a_y + share ahead) + damping w_x                                                        (3)
    T F' = F_asked - F,   F_asked = M / (2 track), not beyond `most`                                                (4)

which is exact over a step, since inputs are held.  In a left turn a_y > 0, and the left side of the body rises, which
is w_x > 0: F is upward on the left wheels and pulls that side down.
"""

from __future__ import annotations

from math import exp
from typing import Any

from kinetab_part import Part, places, three
from kinetab_rotation import cross

PARAMETERS = {
    **dict.fromkeys(three("sensor"), 0.0),  # c [m]
    "ratio": 1.0,  # of the angle of the front wheels to that of the pitman arm
    "wheelbase": 2.8,  # [m]
    "understeer": 0.003,  # [s2/m]
    "share": 0.3,  # of the steering in what is expected
    "moment": 500.0,  # [N m s2/m] per lateral acceleration
    "damping": 5000.0,  # [N m s/rad]
    "track.front": 1.5,  # [m]
    "track.rear": 1.5,  # [m]
    "most": 2500.0,  # [N]
    "lag": 0.02,  # T [s]
}
INPUTS = {
    "steer": 0.0,  # s [rad], to the left
    **dict.fromkeys(three("v", "w", "vd", "wd"), 0.0),  # twist of the chassis at its origin, and its rates
    **{"g[1]": 0.0, "g[2]": 0.0, "g[3]": -9.80665},  # gravity in chassis axes
}
OUTPUTS = ["front_left", "front_right", "rear_left", "rear_right"]  # [N] upward at the wheels
AT = places([*PARAMETERS, *INPUTS])


class KinetabRollControl(Part):
    """The controller with its two bars."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.description = "Roll control by active anti-roll bars"
        self.force = [0.0, 0.0]  # [N] front and rear
        self.lay_out(PARAMETERS, INPUTS, OUTPUTS)

    def react(self, time: float, step: float) -> list[float]:
        """Equations (3) and (4)."""
        (moment,), (damping,), (share,) = (self.values[AT[name]] for name in ("moment", "damping", "share"))
        (most,), (lag,) = self.values[AT["most"]], self.values[AT["lag"]]
        asked = moment * ((1.0 - share) * self.sensed() + share * self.ahead())
        asked += damping * self.values[AT["w"]][0]  # (3)
        keep = exp(-step / lag)
        for i, name in enumerate(("track.front", "track.rear")):
            (track,) = self.values[AT[name]]
            target = min(max(0.5 * asked / track, -most), most)
            self.force[i] = target + keep * (self.force[i] - target)  # (4)
        front, rear = self.force
        return [front, -front, rear, -rear]

    def sensed(self) -> float:
        """Lateral, equation (1)."""
        v, w, vd, wd, g, c = (self.values[AT[name]] for name in ("v", "w", "vd", "wd", "g", "sensor"))
        turning = [x + y for x, y in zip(v, cross(w, c), strict=True)]  # w x v + w x (w x c) = w x turning
        return vd[1] + cross(w, turning)[1] + cross(wd, c)[1] - g[1]

    def ahead(self) -> float:
        """Equation (2)."""
        (ratio,), (wheelbase,), (understeer,) = (self.values[AT[n]] for n in ("ratio", "wheelbase", "understeer"))
        (steer,), v = self.values[AT["steer"]], self.values[AT["v"]][0]
        return v * v * ratio * steer / (wheelbase + understeer * v * v)
