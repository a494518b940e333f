"""The report: one page on a mechanism, or on an FMU with its proof."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs, get_plotlyjs_version

from fmu_src.build.pages.html import cards, count, paragraph, section
from fmu_src.model.reduced_model import ReducedModel
from precompute.loading.driven import mechanism_of
from precompute.loading.rig_loads import RigLoads
from precompute.model.mechanism import Mechanism
from precompute.modes import Linear, Mode, linearize, natural_modes
from precompute.progress import Progress, stages, unheard
from precompute.reduction.statics import StaticsError
from precompute.report.inspection import Report, inspect
from precompute.running.model_reader import read_model
from precompute.running.simulation import Run, run_fmu
from precompute.scene import scene
from precompute.scene.recorded import recorded_motion
from precompute.sensitivity import Sensitivity
from precompute.sheets.measured import Measured
from precompute.sheets.result import Kc, kc
from precompute.verify.verification import Verification, verify
from precompute.web.axle import axle_cards, axle_data, axle_html
from precompute.web.carried import loads_data, loads_html, sheet_loads
from precompute.web.document import compressed, page
from precompute.web.live import live_data, live_html
from precompute.web.motion import run_data, run_html
from precompute.web.proof import proof_html
from precompute.web.ranked import ranked, ranked_html
from precompute.web.swinging import modes_data, modes_html
from precompute.web.view import moving, view_data, view_html, watched

CDN = "https://cdn.plot.ly/plotly-{version}.min.js"
"""Where a page finds the library online."""

SHARES = (0.2, 0.05, 0.75)
"""About what of the whole kinematics, a run and the verdict of an FMU take."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """All that the page shows."""

    mechanism: Mechanism
    report: Report
    kc: Kc | None = None
    loads: RigLoads | None = None  # over its cases
    ranked: tuple[Sensitivity, ...] = ()
    unranked: str = ""  # why there are not all of them
    others: Mapping[str, Kc | Measured] = field(default_factory=dict)
    linear: Linear | None = None
    modes: tuple[Mode, ...] = ()
    unsettled: str = ""  # why there are no modes
    file: str = ""  # of the FMU
    model: ReducedModel | None = None
    run: Run | None = None
    verification: Verification | None = None


def gathered(
    mechanism: Mechanism, others: Mapping[str, Kc | Measured] | None = None, progress: Progress = unheard
) -> Gathered:
    """What can be known without a bake.

    Raises:
        PrecomputeError: it cannot be assembled or moved.
    """
    progress("freedoms and loops", 0.0)
    report = inspect(mechanism)
    found = Gathered(mechanism, report, others=others or {})
    if mechanism.wheels:
        progress("kinematics and compliance", 0.1)
        measured = kc(mechanism)
        progress("loads of joints", 0.4)
        loads = sheet_loads(measured)
        progress("sensitivities", 0.6)
        effects, why = ranked(mechanism)
        found = replace(found, kc=measured, loads=loads, ranked=tuple(effects), unranked=why)
    progress("modes", 0.9)
    try:
        linear = linearize(mechanism)
    except StaticsError as error:
        return replace(found, unsettled=str(error))
    return replace(found, linear=linear, modes=natural_modes(linear))


def of_fmu(
    path: Path,
    others: Mapping[str, Kc | Measured] | None = None,
    check: bool = True,
    progress: Progress = unheard,
) -> Gathered:
    """The same of the mechanism in an FMU, with a run, and the verdict of `kinetab verify`.

    Raises:
        PrecomputeError: it is none of ours, or cannot be run.
    """
    model = read_model(path)
    alone, running, proof = stages(progress, SHARES if check else SHARES[:2] + (0.0,))
    own = gathered(mechanism_of(model, f"the mechanism in {path.name}"), others, alone)
    running("running the FMU", 0.0)
    run = run_fmu(path)
    found = verify(path, progress=proof) if check else None
    return replace(own, file=path.name, model=model, run=run, verification=found)


def report_page(of: Gathered, online: bool = False) -> str:
    """The page; with the library in it, or with a link to it."""
    stand = of.kc.curves.stand if of.kc else None
    view = view_data(of.mechanism, stand, si=of.model is not None)
    if of.run is not None:
        recorded = recorded_motion(of.mechanism, of.run.time, of.run.outputs, watched(scene(of.mechanism)))
        view["motions"] += [moving(recorded)] if recorded else []
    data: dict[str, Any] = {"view": view}
    parts = [summary(of), section("The mechanism", view_html(view), "mechanism")]
    if of.kc:
        data["axle"] = axle_data(of.kc, of.others)
        parts.append(axle_html(of.kc, data["axle"]))
        parts += axle_parts(of, data)
    if of.linear is not None:
        data["modes"] = modes_data(of.linear, of.modes)
        parts.append(modes_html(of.linear, of.modes))
    elif of.unsettled:
        parts.append(section("Natural modes", paragraph(f"None: {of.unsettled}", "note"), "modes-part"))
    if of.run is not None:
        data["run"] = run_data(of.run)
        parts.append(run_html(of.run))
    if of.model is not None:
        live = live_data(of.model)
        data |= {"live": live} if isinstance(live, dict) else {}
        parts.append(live_html(live))
        parts.append(proof_html(of.model, of.file, of.verification))
    else:
        text = "This is the report of a mechanism file. 'kinetab bake' makes its FMU; the report of that has its proof."
        parts.append(section("Proof", paragraph(text, "note"), "proof"))
    body = f"<main>\n<h1>{escape(of.mechanism.name)}</h1>\n{''.join(parts)}</main>"
    return page(of.mechanism.name, body, data, FIRST, library(online), BEHIND)


def axle_parts(of: Gathered, data: dict[str, Any]) -> Iterator[str]:
    """What else is known of an axle; data for scripts are filled in."""
    assert of.kc is not None
    if of.loads is not None:
        loads = loads_data(of.loads)
        if any(own["groups"] for own in loads.values()):
            data["loads"] = loads
            yield loads_html(of.loads, of.kc.own_side if of.kc.curves.record.mirrored else "")
    yield ranked_html(of.ranked, of.unranked, of.mechanism.units)


FIRST = ("view.js", "start.js")
"""Scripts of what is seen before the library is there."""

BEHIND = ("unpacking.js", "diagrams.js", "curves.js", "loads.js", "modes.js", "runs.js", "live.js", "report.js")


def library(online: bool) -> str:
    """Plotly, as the package brings it, compressed; `report.js` unpacks it."""
    if online:
        return f'<script src="{CDN.format(version=get_plotlyjs_version())}"></script>\n'
    return f'<script type="text/plain" id="library">{compressed(get_plotlyjs().encode())}</script>\n'


def summary(of: Gathered) -> str:
    """In words, and five numbers."""
    m, report = of.mechanism, of.report
    words = [m.description] if m.description else []
    joints, loops = len(m.joints), len(report.loops)
    words.append(
        f"{count(len(m.bodies), 'body', 'bodies')} and {count(joints, 'joint')} in {count(loops, 'loop')}; "
        f"{count(report.dof, 'freedom')}"
        + (f" and {count(len(m.stiff_coordinates), 'direction')} that give way on rubber" * bool(m.stiff_coordinates))
        + "."
    )
    if of.verification is not None:
        verdict = "passes" if of.verification.passed else "fails"
        words.append(f"Its FMU {verdict} the comparison with two independent models.")
    numbers = axle_cards(of.kc) if of.kc else cards(plain_numbers(of))
    return "".join(paragraph(text) for text in words) + numbers


def plain_numbers(of: Gathered) -> list[tuple[str, str]]:
    """Five numbers of what has no wheels."""
    m = of.mechanism
    found = [(str(of.report.dof), "freedoms"), (str(len(m.bodies)), "bodies")]
    found.append((m.units.shown(sum(body.mass for body in m.bodies), "mass", 4), "mass"))
    found += [(f"{mode.natural_frequency:.4g} Hz", "lowest mode") for mode in of.modes if mode.eigenvalue.imag][:1]
    if of.model is not None:
        found.append((f"{max(c.value_error for c in of.model.certificate.columns):.0e}", "largest table error"))
    return found[:5]
