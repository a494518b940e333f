"""The pages that an FMU carries as its documentation.

documentation/index.html    what it is, how to run it, where it is valid, its variables, how exact its tables are
documentation/mechanism.png the mechanism, if it was drawn; also model.png, which tools show as its icon
documentation/sbom.cdx.json whose code is inside, file by file: see `sbom`
documentation/licenses/     of what is inside
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..interface.variable import Variable
from ..model.designs import design_name
from ..model.reduced_model import Certificate, Chart, ReducedModel
from .element_text import HEAD, element_rows, marked
from .origin import LICENSES, license_text, signature
from .sbom import SBOM_FILE, sbom

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
pre { background: #f4f4f4; padding: .6em .8em; overflow-x: auto; }
img { max-width: 100%; }
th, td { text-align: left; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: 95%; }
"""


def documentation(
    model: ReducedModel,
    table: Sequence[Variable],
    runs: str,
    picture: bytes,
    files: Mapping[str, bytes],
    parts: Mapping[str, Iterable[str]],
    compilers: Iterable[str],
) -> dict[str, bytes]:
    """The files of the documentation by their names in the FMU.

    Args:
        model: the model.
        table: its variables.
        runs: where the FMU runs, in words.
        picture: the mechanism as a PNG; empty if it was not drawn.
        files: all other files of the FMU.
        parts: whose work is in it, of `origin.LICENSES`, and the names of their files.
        compilers: what its binaries were made with.
    """
    texts = {name: license_text(name) for name in parts}
    made = {
        "documentation/index.html": index_html(model, table, runs, bool(picture), list(parts)).encode(),
        f"documentation/{SBOM_FILE}": sbom(model, files, parts, compilers),
    }
    made |= {f"documentation/licenses/{name}.txt": text.encode() for name, text in texts.items() if text}
    if picture:
        made |= {"documentation/mechanism.png": picture, "model.png": picture}
    return made


def index_html(
    model: ReducedModel, table: Sequence[Variable], runs: str, drawn: bool = False, parts: Sequence[str] = ("kinetab",)
) -> str:
    """The page, as HTML; see `documentation`."""
    name, text = escape(model.name), escape(model.description)
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style></head>
<body>
<h1>{name}</h1>
<p>{text}</p>
<p>FMI 2.0 co-simulation, made by {escape(signature())}.  It runs {escape(runs)}.  SI units
and radians throughout; forces, moments and markers are in ground axes.</p>
{_ground(model)}{_picture(drawn)}{_running(model)}{_validity(model)}{_stiff(model)}{_designs(model)}{_elements(model)}{_variables(table)}
{_certificates(model)}
{_licenses(parts)}<p>Mechanism <code>{escape(model.source_hash)}</code></p>
</body>
</html>
"""


def _picture(drawn: bool) -> str:
    return '<p><img src="mechanism.png" alt="The mechanism at its design position"/></p>\n' if drawn else ""


def _running(model: ReducedModel) -> str:
    name = escape(model.name)
    return f"""<h2>How to run it</h2>
<pre>kinetab run {name}.fmu --plot {name}.png

from fmpy import simulate_fmu
result = simulate_fmu("{name}.fmu", stop_time={model.stop_time:g}, output_interval={model.step_size:g})</pre>
<p>Or import it into any master for FMI 2.0 co-simulation, with a communication step of {model.step_size:g} s or what
the coupling needs: a step longer than <code>solver.step</code> is divided, a shorter one is taken as it is.  Start
values are set before or in initialization mode; tunable parameters act at the next step; inputs are held over a step.
With <code>solver.static</code> = 1 the motion starts at rest, in the static equilibrium under the inputs that are set
in initialization mode.  A call that fails returns fmi2Error, says why in the log and changes nothing: go on with a
saved state, a reset or other
values.{f"  Note: {escape(model.step_note)}." if model.step_note else ""}</p>
"""


def _validity(model: ReducedModel) -> str:
    outside = {"error": "the step fails", "linear": "goes on linearly, with a warning"}
    rows = [
        (
            f"<code>{escape(a.name)}</code>",
            f"{a.lower:.6g}",
            f"{a.upper:.6g}",
            escape(a.unit),
            "periodic" if a.periodic else outside[a.outside],
        )
        for chart in model.charts
        for a in chart.axes
    ]
    more = "Several charts cover the motion; the FMU goes from one to the next.  " if len(model.charts) > 1 else ""
    return (
        f"<h2>Where it is valid</h2>\n<p>{more}The tables reach</p>\n"
        + _table(("Coordinate", "From", "To", "Unit", "Beyond"), rows, numeric=(1, 2))
        + "\n"
    )


def _licenses(parts: Sequence[str]) -> str:
    names = " and ".join(f"{name} ({LICENSES[name]})" for name in parts)
    return (
        f"<h2>Licence</h2>\n<p>Inside is code of {names}, see <code>licenses/</code>; "
        f'<a href="{SBOM_FILE}">{SBOM_FILE}</a> (CycloneDX) lists it file by file.  The model is its author\'s.</p>\n'
    )


def _variables(table: Sequence[Variable]) -> str:
    parts = []
    for causality, title in (("parameter", "Parameters"), ("input", "Inputs"), ("output", "Outputs")):
        rows = [
            (
                f"<code>{escape(v.name)}</code>",
                escape(v.unit),
                "" if v.start is None else f"{v.start:g}",
                _bounds(v),
                escape(v.description) + (" (fixed)" if v.variability == "fixed" else ""),
            )
            for v in table
            if v.causality == causality
        ]
        parts.append(f"<h2>{title}</h2>\n" + _table(("Name", "Unit", "Start", "Bounds", "Meaning"), rows, numeric=(2,)))
    return "\n".join(parts)


def _bounds(v: Variable) -> str:
    if v.minimum is None and v.maximum is None:
        return ""
    return f"{'' if v.minimum is None else f'{v.minimum:g}'} … {'' if v.maximum is None else f'{v.maximum:g}'}"


def _ground(model: ReducedModel) -> str:
    if not model.moving:
        return ""
    return (
        "<p>The ground is a chassis that moves.  All its quantities are in its own axes at its origin: twist, the "
        "derivatives of these components, gravity, and the force and moment that the mechanism exerts on it.  Over a "
        "communication step the twist changes linearly.  Markers, rates and energies are relative to the chassis.</p>\n"
    )


def _stiff(model: ReducedModel) -> str:
    if not model.stiff:
        return ""
    rows = [
        (f"<code>{escape(s.name)}</code>", escape(s.unit), f"{s.about:g}", f"{s.radius:g}", escape(s.description))
        for s in model.stiff
    ]
    way = "follow the forces at once, without inertia" if model.quasistatic else "are integrated implicitly"
    return (
        f"<h2>Stiff coordinates</h2>\n<p>They {way}.  Up to the radius from where they are expanded about, the tables "
        "are within their tolerance; beyond it a warning is logged once and <code>table.inRange</code> is 0.</p>\n"
        + _table(("Name", "Unit", "Expanded about", "Radius", "Meaning"), rows, numeric=(2, 3))
    )


def _designs(model: ReducedModel) -> str:
    if not model.designs:
        return ""
    rows = [
        (
            f"<code>{design_name(d)}</code>",
            escape(d.of),
            escape(d.unit),
            f"{d.range:g}",
            *(f"{e:.1e}" for e in d.errors),
        )
        for d in model.designs
    ]
    together = ", ".join(f"{e:.1e}" for e in model.designs_together)
    head = ("Name", "Changes", "Unit", "Range", "Relative", "m", "rad")
    return (
        "<h2>Design parameters</h2>\n<p>They change the mechanism itself, at the next step; tables are polynomials of "
        "second order in them.  Largest errors found inside the range of each alone, of anything relative to what is "
        f"natural, of lengths and of angles; with all at the ends of their ranges: {together}.  Beyond a range a "
        "warning is logged once and <code>table.inRange</code> is 0.</p>\n" + _table(head, rows, numeric=(3, 4, 5, 6))
    )


def _elements(model: ReducedModel) -> str:
    rows = [marked(row) for row in element_rows(model)]
    if not rows:
        return ""
    return (
        "<h2>Elements</h2>\n<p>What the mechanism describes by formulas, in SI units; parameters and inputs that they "
        "read are below, as <code>element.NAME.</code>...</p>\n" + _table(HEAD, rows)
    )


def _certificates(model: ReducedModel) -> str:
    if len(model.charts) == 1:
        return _certificate(model.charts[0].certificate)
    return "\n".join(
        f"<h2>Chart {i + 1}: {escape(_ranges(chart))}</h2>\n{_certificate(chart.certificate)}"
        for i, chart in enumerate(model.charts)
    )


def _ranges(chart: Chart) -> str:
    return ", ".join(f"{a.name} from {a.lower:.4g} to {a.upper:.4g} {a.unit}" for a in chart.axes)


def _certificate(certificate: Certificate) -> str:
    rows = [
        (
            f"<code>{escape(c.column)}</code>",
            f"{c.value_error:.1e}",
            _point(c.value_at),
            f"{c.slope_error:.1e}",
            _point(c.slope_at),
            f"{c.scale:.2e}",
        )
        for c in certificate.columns
    ]
    nodes = ", ".join(" x ".join(map(str, block)) for block in certificate.nodes if block)
    return (
        f"<h2>Accuracy of the tables</h2>\n<p>{nodes} nodes, compared with {certificate.points} freshly solved "
        f"configurations; tolerance {certificate.tolerance:g}.  Largest relative errors found, and where; those "
        "of values are relative to what stands last, in SI units:</p>\n"
        + _table(("Column", "Value", "at", "Slope", "at", "Values relative to"), rows, numeric=(1, 3, 5))
    )


def _point(z: Iterable[float]) -> str:
    return ", ".join(f"{x:.4g}" for x in z)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[int] = ()) -> str:
    """A table; the cells are HTML already."""
    lines = ["<table>", "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    for row in rows:
        cells = (f'<td class="n">{c}</td>' if i in numeric else f"<td>{c}</td>" for i, c in enumerate(row))
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join([*lines, "</table>"])
