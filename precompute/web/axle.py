"""Kinematics and compliance on the page: all curves as data, the convention being changed by signs alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from fmu_src.build.pages.html import cards, folded, listed, paragraph, section
from precompute.arrays import Array
from precompute.kc.conventions import Convention
from precompute.kc.registry import METRICS
from precompute.rig.cases import CASES, Case
from precompute.sheets.columns import CaseResult, Column, NoColumnError, Sheet
from precompute.sheets.comparison import overlay
from precompute.sheets.measured import Measured
from precompute.sheets.page import DESIGN, PANELS
from precompute.sheets.text import differs
from precompute.web.document import packed

OTHERS: tuple[Convention, ...] = tuple(name for name in get_args(Convention) if name != "iso")

FIRST = ("toe", "camber", "roll_centre_height", "spring_motion_ratio", "ride_frequency", "wheel_rate", "anti_dive")
"""What is looked at first; the first five that there are."""


def numbers_first(kc: Sheet) -> list[tuple[str, str]]:
    """Five numbers: toe and camber per travel, and what else is known of the axle at design."""
    found: list[tuple[str, str]] = []
    for name in FIRST:
        try:
            column = kc.main[name]
        except NoColumnError:
            continue
        if name in ("toe", "camber") and math.isfinite(column.gradient):
            found.append((f"{column.gradient:.3g} {column.gradient_unit}", f"{DESIGN[name]} in bump"))
        elif math.isfinite(column.design):
            unit = "" if column.unit == "mm/mm" else f" {column.unit}"
            found.append((f"{column.design:.4g}{unit}", DESIGN.get(name, name.replace("_", " "))))
    return found[:5]


def axle_data(kc: Sheet, others: Mapping[str, Sheet | Measured]) -> dict[str, Any]:
    """What `curves.js` reads; by ISO, with the signs of the other conventions."""
    used = {column.partition(".")[0] for case in kc.cases.values() for column in case}
    return {
        "conventions": ["iso", *OTHERS],
        "own": kc.own_side,
        "mirrored": kc.curves.record.mirrored,
        "cases": {name: case_data(kc, name, case, others) for name, case in kc.cases.items()},
        "panels": [
            {"title": panel.title, "cases": list(panel.cases), "metrics": list(panel.metrics)}
            for panel in PANELS
            if {*panel.cases} & {*kc.cases}
        ],
        "metrics": {name: metric_data(name) for name in METRICS if name in used},
        "others": list(others),
    }


def metric_data(name: str) -> dict[str, Any]:
    """What a metric means, and how its sign changes."""
    metric = METRICS[name]
    return {
        "text": metric.definition,
        "signs": {other: metric.sign.factor(other) * metric.sign.factor("iso") for other in OTHERS},
        "positive": {each: metric.sign.words(each) for each in get_args(Convention)},
    }


def case_data(kc: Sheet, name: str, case: CaseResult, others: Mapping[str, Sheet | Measured]) -> dict[str, Any]:
    """One case."""
    return {
        "title": case.title,
        "input": input_data(next(own for own in CASES if own.name == name), case.input_unit, case.input),
        "columns": {c.name: column_data(kc, name, c, others) for c in case.columns.values() if shown(kc, case, c)},
    }


def input_data(case: Case, unit: str, values: Array) -> dict[str, Any]:
    """The input of a case, by ISO, with the signs of the other conventions."""
    return {
        "name": case.input,
        "unit": unit,
        "values": rounded(values),
        "signs": {other: case.sign.factor(other) * case.sign.factor("iso") for other in OTHERS},
        "positive": {each: case.sign.words(each) for each in get_args(Convention)},
    }


def shown(kc: Sheet, case: CaseResult, column: Column) -> bool:
    """Whether there is anything to see that the wheel of the other side does not show as well."""
    other = {"left": "right", "right": "left"}[kc.own_side]
    twin = column.name.endswith(f".{other}") and not differs(case, column, kc.own_side)
    return bool(np.isfinite(column.values).sum() > 1) and not twin


def column_data(kc: Sheet, case: str, c: Column, others: Mapping[str, Sheet | Measured]) -> dict[str, Any]:
    """One metric over a case, and what is laid over it."""
    laid = {name: overlay(other, case, c.name, kc.own_side) for name, other in others.items()}
    return {
        "unit": c.unit,
        "values": packed(np.where(np.isfinite(c.values), c.values, np.nan)),
        "design": number(c.design),
        "gradient": number(c.gradient),
        "gradientUnit": c.gradient_unit,
        "others": {name: [rounded(x), rounded(y)] for name, pair in laid.items() if pair for x, y in [pair]},
    }


def rounded(values: Array) -> list[float | None]:
    """More digits than a page shows; none where there is no number."""
    return [number(float(x)) for x in values]


def number(value: float) -> float | None:
    """JSON knows no infinity and no nan."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def axle_html(kc: Sheet, data: Mapping[str, Any]) -> str:
    """The section that `curves.js` fills."""
    names = "".join(f'<option value="{name}">{name.upper() if name != "adams" else "Adams"}</option>' for name in
                    data["conventions"])  # fmt: skip
    body = paragraph(f"Axle '{kc.axle}': {'; '.join(how(kc))}. Dots are the design position.", "note")
    body += f'<p class="live-controls"><label>Signs by <select id="convention">{names}</select></label></p>\n'
    body += '<div class="curves" id="panels"></div>\n<h3>Any metric</h3>\n'
    body += '<p class="live-controls"><label>Case <select id="case"></select></label> '
    body += '<label>Metric <select id="metric"></select></label></p>\n'
    body += '<div class="curve large" id="chosen"></div>\n<p class="note" id="definition"></p>\n'
    body += '<h3>At design</h3>\n<div id="summary"></div>\n'
    body += folded("What definitions leave open, and what was left out", listed([*kc.remarks, *kc.foot]))
    return section("Kinematics and compliance", body, "kc")


def how(kc: Sheet) -> list[str]:
    """In which state it was measured."""
    elastic = kc.curves.stand.rig.bench.elastic
    sides = "one side, the other by symmetry" if kc.curves.record.mirrored else "both sides"
    return ["at rest at every point, bushings give way" if elastic else "rigid kinematics", sides]


def axle_cards(kc: Sheet) -> str:
    """The five numbers."""
    return cards(numbers_first(kc))
