"""How an FMU is run, and how it steps."""

from __future__ import annotations

from html import escape

from ...model.reduced_model import ReducedModel
from .html import Html, listed, paragraph


def running_html(model: ReducedModel) -> str:
    """How to call it."""
    name = escape(model.name)
    text = (
        f"Or import it into any master for FMI 2.0 co-simulation, with a communication step of {model.step_size:g} s "
    )
    text += "or what the coupling needs. Start values are set before or in initialization mode; tunable parameters act "
    text += (
        "at the next step; inputs are held over a step. With <code>solver.static</code> = 1 the motion starts at rest, "
    )
    text += "in the static equilibrium under the inputs that are set in initialization mode. A call that fails returns "
    text += "fmi2Error, says why in the log and changes nothing: go on with a saved state, a reset or other values."
    return f"""<pre>kinetab run {name}.fmu --plot {name}.png

from fmpy import simulate_fmu
result = simulate_fmu("{name}.fmu", stop_time={model.stop_time:g}, output_interval={model.step_size:g})</pre>
{paragraph(Html(text))}{ground_html(model)}"""


def ground_html(model: ReducedModel) -> str:
    """What inputs and outputs of a chassis are."""
    if not model.moving:
        return ""
    return paragraph(
        "The ground is a chassis that moves. All its quantities are in its own axes at its origin: twist, the "
        "derivatives of these components, gravity, and the force and moment that the mechanism exerts on it. Over a "
        "communication step the twist changes linearly. Markers, rates and energies are relative to the chassis."
    )


def stepping_html(model: ReducedModel) -> str:
    """The integrator and its step."""
    texts = [f"Integrator: {method(model)}."]
    texts.append(
        f"The longest step of the integrator is {model.longest_step:g} s, solver.step. A longer communication step is "
        "divided, a shorter one is taken as it is. solver.check = 1 measures the error of every step, solver.error."
    )
    texts += [f"Note: {model.step_note}."] if model.step_note else []
    return listed(texts)


def method(model: ReducedModel) -> str:
    """Of the integrator, in words."""
    if not model.stiff or model.quasistatic:
        explicit = {"rk4": "Runge-Kutta of order 4", "midpoint": "the midpoint rule"}[model.method]
        return explicit + (", deflections follow the forces" if model.quasistatic else "")
    return {"rk4": "linearly implicit, of order 3", "midpoint": "the linearly implicit midpoint rule"}[model.method]
