"""The independent full model: a mechanism in maximal coordinates with Lagrange multipliers, integrated tightly.

    Mechanism -> full_model -> assemble -> initial_velocity -> simulate -> FullMotion

It certifies the reduced models and therefore shares no code and no formulation with them: six coordinates per body,
joints as classical constraints between points and directions, nothing tabulated.  It is slow and accurate.

    bodies.py       states; points and directions fixed in bodies
    constraints.py  joints as rows phi = 0, with Jacobian and acceleration right-hand side
    measures.py     distances and joint coordinates, with gradients
    forces.py       springs, stops, dampers
    model.py        all of it as one model
    assembly.py     positions and velocities that satisfy the constraints
    dynamics.py     accelerations under forces, energy
    simulation.py   integration in time

Reference: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems.
"""

from precompute.reference.assembly import assemble, full_model, initial_velocity
from precompute.reference.bodies import FullState
from precompute.reference.dynamics import FullAcceleration, LoadHistory, Loads, accelerations
from precompute.reference.model import FullModel, coordinate_values, measure_rate, measure_value
from precompute.reference.simulation import FullMotion, MarkerMotion, ScalarMotion, simulate

__all__ = [
    "FullAcceleration",
    "FullModel",
    "FullMotion",
    "FullState",
    "LoadHistory",
    "Loads",
    "MarkerMotion",
    "ScalarMotion",
    "accelerations",
    "assemble",
    "coordinate_values",
    "full_model",
    "initial_velocity",
    "measure_rate",
    "measure_value",
    "simulate",
]
