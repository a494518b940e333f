"""The FMU's own kernel in the page: as WebAssembly, with the model file and the names of its variables."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from fmu_src.build.model_writer import to_bytes
from fmu_src.build.pages.html import paragraph, section
from fmu_src.build.web_kernel import web_kernel
from fmu_src.errors import BuildError
from fmu_src.interface.variable import Variable
from fmu_src.interface.variables import variables
from fmu_src.model.reduced_model import ReducedModel
from precompute.report.plain_names import shown
from precompute.web.document import compressed

LARGEST = 4_500_000
"""[bytes] Of a model file that goes into a page, compressed and as text."""

TUNED = (".k", ".c", ".stiffness", ".damping")
"""How names of parameters end, or go on with numbers, that have a slider: rates of springs, dampers, bushings."""

SEEN = ("q.", "spring.", "wheel.", "joint.", "element.", "measure.", "energy.")
"""How names of outputs begin that can be drawn."""


def live_data(model: ReducedModel) -> dict[str, Any] | str:
    """What `live.js` reads; in words why there is nothing for it.

    Returns:
        Kernel and model file, compressed, as base64, variables by kind; or a text.
    """
    content = compressed(to_bytes(model))
    if len(content) > LARGEST:
        return (
            f"the model file of {len(content) / 1e6:.1f} MB, compressed, is too large for a page; looser tolerances or "
            "a shorter range make it smaller"
        )
    try:
        kernel = web_kernel(model)
    except BuildError as error:
        return f"{error}; then this page is live"
    table = list(enumerate(variables(model)))
    return {
        "kernel": compressed(kernel),
        "model": content,
        "step": model.step_size,
        "stop": model.stop_time,
        "inputs": [described(k, v) for k, v in table if v.causality == "input"],
        "parameters": [described(k, v) for k, v in table if tuned(v)],
        "outputs": [described(k, v) for k, v in table if v.causality == "output" and v.name.startswith(SEEN)],
        "coordinates": [k for name in model.coordinates for k, v in table if v.name == f"q.{name.name}"],
    }


def tuned(variable: Variable) -> bool:
    """Whether it has a slider: a rate that is not zero."""
    stem = variable.name.partition("[")[0]
    return variable.variability == "tunable" and stem.endswith(TUNED) and bool(variable.start)


def described(reference: int, variable: Variable) -> dict[str, Any]:
    """A variable, with what it is multiplied by to be shown."""
    unit, factor = shown(variable.unit)
    return {
        "name": variable.name,
        "reference": reference,
        "unit": unit,
        "factor": factor,
        "start": variable.start,
        "text": variable.description,
    }


def live_html(data: dict[str, Any] | str) -> str:
    """The section that `live.js` fills."""
    if isinstance(data, str):
        return section("Live", paragraph(f"Not in this page: {data}.", "note"), "live")
    text = "The kernel of this FMU runs in the page, step by step as in a master. Choose a load, tune rates, press run."
    return section("Live", paragraph(text, "note") + "".join(controls(data)), "live")


def controls(data: dict[str, Any]) -> Iterator[str]:
    """Load, parameters, and where curves are."""
    inputs = "".join(f'<option value="{k}">{escape(v["name"])}</option>' for k, v in enumerate(data["inputs"]))
    yield '<div class="live-controls"><p>\n'
    yield f'<label>Load on <select id="live-input">{inputs}</select></label>\n'
    shapes = "".join(f"<option>{name}</option>" for name in ("step", "ramp", "sine", "kerb"))
    yield f'<label>as <select id="live-shape">{shapes}</select></label>\n'
    yield '<label>of <input id="live-size" type="number" step="any"> <span id="live-unit"></span></label>\n'
    yield '<label>time or period <input id="live-time" type="number" step="any" min="0.001" value="0.2"> s</label>\n'
    yield f'<label>for <input id="live-stop" type="number" step="any" min="0.01" value="{data["stop"]:g}"> s</label>\n'
    yield '<button type="button" id="live-run">Run</button></p>\n'
    yield '<details><summary>Rates of springs, dampers, bushings</summary><div id="live-rates"></div></details></div>\n'
    outputs = "".join(f'<option value="{k}">{escape(v["name"])}</option>' for k, v in enumerate(data["outputs"]))
    yield f'<p class="live-controls"><label>Show <select id="live-output">{outputs}</select></label></p>\n'
    yield '<div class="curve large" id="live-curve"></div>\n<p class="note" id="live-said" role="status"></p>\n'
