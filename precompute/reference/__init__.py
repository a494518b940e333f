"""The independent full model: a mechanism in maximal coordinates with Lagrange multipliers, integrated tightly.

    Mechanism -> full_model -> assemble -> initial_velocity -> simulate -> FullMotion

It certifies the reduced models and therefore shares no code and no formulation with them: six coordinates per body,
joints as classical constraints between points and directions, bushings as force elements, nothing tabulated.  It is
slow and accurate.

    bodies.py       states; points and directions fixed in bodies
    constraints.py  joints as rows phi = 0, with Jacobian and acceleration right-hand side
    couplings.py    sums of measures, and measures over others by a curve, as constraints
    measures.py     distances, joint coordinates and marker coordinates, with gradients
    metrics.py      other measures, which are only read
    forces.py       springs, stops, dampers
    bushings.py     bushings: deflection, rate, force, wrench on both bodies
    chassis.py      the ground as a body with prescribed motion
    wheels.py       loads of the road on wheels
    rolling.py      a disc on the floor: the track, rows between velocities alone
    inputs.py       loads, chassis motion and driven coordinates over time
    model.py        all of it as one model
    least_motion.py linear systems with a decision on the rank
    assembly.py     positions and velocities that satisfy the constraints
    states.py       the same deflected, or carried along by a moving chassis
    loads.py        what joints and rods carry, from multipliers
    dynamics.py     accelerations under forces, reactions, energy
    statics.py      equilibrium, small motions about it, response to a load
    simulation.py   integration in time
    recording.py    what is left of it

Reference: Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems.
"""

from precompute.reference.assembly import assemble, full_model, initial_velocity
from precompute.reference.bodies import FullState
from precompute.reference.bushings import BushingState, bushing_state
from precompute.reference.chassis import ChassisState, TwistHistory
from precompute.reference.dynamics import FullAcceleration, accelerations
from precompute.reference.inputs import Drive, Inputs, LoadHistory, Loads
from precompute.reference.model import FullModel, coordinate_values, measure_rate, measure_value
from precompute.reference.recording import (
    BushingMotion,
    ChassisMotion,
    FullMotion,
    MarkerMotion,
    ScalarMotion,
    recorded,
)
from precompute.reference.simulation import Piece, followed, simulate
from precompute.reference.states import carried, deflected, on_chassis
from precompute.reference.statics import SmallMotions, equilibrium, response, small_motions
from precompute.reference.wheels import WheelLoad, contact_arm

__all__ = [
    "BushingMotion",
    "BushingState",
    "ChassisMotion",
    "ChassisState",
    "Drive",
    "FullAcceleration",
    "FullModel",
    "FullMotion",
    "FullState",
    "Inputs",
    "LoadHistory",
    "Loads",
    "MarkerMotion",
    "Piece",
    "ScalarMotion",
    "SmallMotions",
    "TwistHistory",
    "WheelLoad",
    "accelerations",
    "assemble",
    "bushing_state",
    "carried",
    "contact_arm",
    "coordinate_values",
    "deflected",
    "equilibrium",
    "followed",
    "full_model",
    "initial_velocity",
    "measure_rate",
    "measure_value",
    "on_chassis",
    "recorded",
    "response",
    "simulate",
    "small_motions",
]
