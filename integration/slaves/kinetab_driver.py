"""The driver: a sine steer of one period, a brake pedal, and a road that passes under a quarter car.

    steer = A sin(2 pi f (t - t0))   from t0 to t0 + 1/f                                                            (1)
    brake = B ramp((t - t1) / T)     from t1 on, released at t2 in the same way                                     (2)
    x = speed t,  v = speed          for cars that do not drive by themselves                                       (3)

A steer to the left is positive.  The pitman arms of the two front corners are mirror images and turn opposite ways.
"""

from __future__ import annotations

from math import pi, sin
from typing import Any

from kinetab_part import Part

PARAMETERS = {
    "steer": 0.0,  # A [rad] of the pitman arm
    "frequency": 1.0,  # f [Hz]
    "steer.start": 0.5,  # t0 [s]
    "brake.front": 0.0,  # B [N] per wheel
    "brake.rear": 0.0,  # B [N] per wheel
    "brake.start": 0.5,  # t1 [s]
    "brake.end": 1e9,  # t2 [s]
    "brake.ramp": 0.1,  # T [s]
    "speed": 0.0,  # [m/s]
}
OUTPUTS = ["left", "right", "front", "rear", "x", "v"]


class KinetabDriver(Part):
    """Time in, steering angles and brake forces out."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.description = "Sine steer and braking over time"
        self.lay_out(PARAMETERS, {}, OUTPUTS)

    def react(self, time: float, step: float) -> list[float]:
        """Equations (1) to (3) at the end of the step."""
        amplitude, frequency, t0, front, rear, t1, t2, ramp, speed = self.values[: len(PARAMETERS)]
        t = time + step
        turns = frequency * (t - t0)
        steer = amplitude * sin(2.0 * pi * turns) if 0.0 <= turns <= 1.0 else 0.0
        pedal = min(max((t - t1) / ramp, 0.0), 1.0) - min(max((t - t2) / ramp, 0.0), 1.0)
        return [-steer, steer, front * pedal, rear * pedal, speed * t, speed]
