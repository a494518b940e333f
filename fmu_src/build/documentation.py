"""The pages that an FMU carries as its documentation.

documentation/index.html    what it is, its variables, where it is valid, how exact its tables are, how to run it
documentation/mechanism.png the mechanism, if it was drawn; also model.png, which tools show as its icon
documentation/sbom.cdx.json whose code is inside, file by file: see `sbom`
documentation/licenses/     of what is inside
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..interface.variable import Variable
from ..model.reduced_model import ReducedModel
from ..model.units import told_in
from .origin import LICENSES, license_text, signature
from .pages.about import NOTHING, About
from .pages.accuracy import accuracy_html
from .pages.coordinates import coordinates_html
from .pages.elements import elements_html
from .pages.html import Html, asset, cards, count, folded, noun, paragraph, section
from .pages.running import running_html, stepping_html
from .pages.variable_tables import CAUSALITIES, counted, variables_html
from .sbom import SBOM_FILE, sbom

SCRIPTED = '<script>document.documentElement.classList.add("scripted");</script>'
"""Styles tell by it whether the picture or the 3D view is shown."""


def documentation(
    model: ReducedModel,
    table: Sequence[Variable],
    runs: str,
    about: About,
    files: Mapping[str, bytes],
    parts: Mapping[str, Iterable[str]],
    compilers: Iterable[str],
) -> dict[str, bytes]:
    """The files of the documentation by their names in the FMU.

    Args:
        model: the model.
        table: its variables.
        runs: where the FMU runs, in words.
        about: what is known of the mechanism.
        files: all other files of the FMU.
        parts: whose work is in it, of `origin.LICENSES`, and the names of their files.
        compilers: what its binaries were made with.
    """
    texts = {name: license_text(name) for name in parts}
    made = {
        "documentation/index.html": index_html(model, table, runs, about, list(parts)).encode(),
        f"documentation/{SBOM_FILE}": sbom(model, files, parts, compilers),
    }
    made |= {f"documentation/licenses/{name}.txt": text.encode() for name, text in texts.items() if text}
    if about.picture:
        made |= {"documentation/mechanism.png": about.picture, "model.png": about.picture}
    return made


def index_html(
    model: ReducedModel,
    table: Sequence[Variable],
    runs: str,
    about: About = NOTHING,
    parts: Sequence[str] = ("kinetab",),
) -> str:
    """The page, as HTML; see `documentation`."""
    sections = [
        ("mechanism", "The mechanism", mechanism_html(model, about)),
        ("variables", "Inputs, outputs, parameters", variables_html(table, about.units)),
        ("coordinates", "Coordinates and where it is valid", coordinates_html(model)),
        ("accuracy", "Accuracy of the tables", accuracy_html(model)),
        ("elements", "Elements", elements_html(model)),
        ("running", "How to run it", running_html(model)),
        ("step", "Its step", stepping_html(model)),
        ("origin", "Versions and licence", origin_html(model, parts)),
        ("file", "The mechanism file", file_html(model, about)),
    ]
    shown = [(name, title, body) for name, title, body in sections if body]
    body = "".join(section(title, body, name) for name, title, body in shown)
    title = escape(model.name)
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{title}</title><link rel="icon" href="data:,"/>
<style>
{asset("style.css")}{asset("fmu.css")}</style>
{SCRIPTED}</head>
<body>
<main class="page">
<nav aria-label="Contents">{contents([(name, title) for name, title, _ in shown])}</nav>
<div>
<h1>{title}</h1>
{paragraph(model.description) if model.description else ""}{cards(numbers(model, table))}
<p class="note">FMI 2.0 co-simulation, made by {escape(signature())}. It runs {escape(runs)}.</p>
{body}</div>
</main>
<script>
{asset("search.js")}</script>
</body>
</html>
"""


def contents(shown: Sequence[tuple[str, str]]) -> str:
    """Links to the parts of the page."""
    lines = []
    for name, title in shown:
        lines.append(f'<li><a href="#{name}">{escape(title)}</a></li>')
        if name == "variables":
            lines += [f'<li class="below"><a href="#{own}s">{text}</a></li>' for own, text in CAUSALITIES]
    return "<ul>\n" + "\n".join(lines) + "\n</ul>"


def numbers(model: ReducedModel, table: Sequence[Variable]) -> list[tuple[str, str]]:
    """What is looked at first."""
    free, stiff = len(model.coordinates), f" + {len(model.stiff)}" if model.stiff else ""
    worst = max((c.value_error for chart in model.charts for c in chart.certificate.columns), default=0.0)
    return [
        (f"{free}{stiff}", "free + stiff coordinates" if stiff else noun(free, "coordinate")),
        *counted(table),
        (f"{1e3 * model.step_size:g} ms", "communication step"),
        (f"{worst:.1e}", "largest table error, relative"),
    ]


def mechanism_html(model: ReducedModel, about: About) -> str:
    """What it is made of, in words, in 3D and as a picture."""
    words = [count(len(model.mechanism[kind]), one, many) for kind, one, many in KINDS if model.mechanism.get(kind)]
    mass, told = f"{model.mass:.6g} kg", told_in("kg", about.units)
    mass += f" ({told.text(model.mass)})" if told.factor != 1.0 else ""
    text = paragraph("; ".join(filter(None, (", ".join(words), mass))) + ".")
    if about.view:
        text += f'<div class="moving">\n{about.view}</div>\n'
    if about.picture:
        text += '<img class="still" src="mechanism.png" alt="The mechanism at its design position"/>\n'
    return text


KINDS = (
    ("bodies", "body", "bodies"),
    ("joints", "joint", ""),
    ("bushings", "bushing", ""),
    ("springs", "spring", ""),
    ("dampers", "damper", ""),
    ("elements", "element", ""),
    ("couplings", "coupling", ""),
    ("constraints", "constraint", ""),
    ("wheels", "wheel", ""),
)
"""What a mechanism file calls its parts, and what people do."""


def origin_html(model: ReducedModel, parts: Sequence[str]) -> str:
    """What made it, and of what."""
    names = " and ".join(f"{name} ({LICENSES[name]})" for name in parts)
    text = f"Made by {escape(signature())}. Inside is code of {names}, see <code>licenses/</code>; "
    text += f'<a href="{SBOM_FILE}">{SBOM_FILE}</a> (CycloneDX) lists it file by file. The model is its author\'s.'
    return paragraph(Html(text)) + paragraph(Html(f"Mechanism <code>{escape(model.source_hash)}</code>"))


def file_html(model: ReducedModel, about: About) -> str:
    """What it was baked from, on request."""
    if not about.file:
        return ""
    name, lines = escape(model.name), about.file.count("\n")
    text = f"Without its comments. <code>kinetab bake {name}.toml</code> makes this FMU of it again."
    return paragraph(Html(text)) + folded(f"{model.name}.toml ({lines} lines)", f"<pre>{escape(about.file)}</pre>\n")
