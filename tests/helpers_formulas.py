"""Random formulas, and random devices made of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from fmu_src.model.devices import (
    Connection,
    Device,
    DeviceInput,
    DeviceOutput,
    Formula,
    StateInfo,
    UnknownInfo,
)
from fmu_src.model.programs import Table
from precompute.formulas.compiling import program
from precompute.formulas.syntax import parse

NAMES = tuple(f"n{i}" for i in range(8))
CURVES = {"curve": 0, "ramp": 1}
TABLES = (Table((-1.0, -0.2, 0.3, 2.0), (-2.0, 0.5, 0.4, 3.0)), Table((0.0, 0.1), (0.0, 1.0)))

LEAVES = (*NAMES, "pi", "0", "1", "2", "0.5", "0.03", "10")
ONE = ("-({0})", "abs({0})", "sin({0})", "cos({0})", "tanh({0})", "curve({0})", "ramp({0})", "({0})^2", "({0})^3")
TWO = ("({0}) + ({1})", "({0}) - ({1})", "({0})*({1})", "min({0}, {1})", "max({0}, {1})", "atan2({0}, {1})")
CHOICES = tuple(f"if({{0}} {sign} {{1}}, {{2}}, {{3}})" for sign in ("<", "<=", ">", ">="))
TAME = ("({0})/(1 + ({1})^2)", "sqrt(abs({0}))", "exp(-abs({0}))", "log(1 + abs({0}))", "(2 + tanh({0}))^({1})")
TAME += ("sign({0}, 0.5)", "1/(3 + sin({0}))")
WILD = (
    "({0})/({1})",
    "sqrt({0})",
    "exp({0})",
    "log({0})",
    "({0})^({1})",
    "sign({0}, {1})",
    "({0})^-2",
    "({0})^0",
    "({0})^-1",
)
LIMITED = "3*tanh(({0})/3)"


def _joined(of, count):
    """Operations of some kinds, on other formulas."""
    return lambda inner: st.builds(
        lambda form, parts: form.format(*parts), st.sampled_from(of), st.lists(inner, min_size=count, max_size=count)
    )


def _formulas(more, most):
    """Texts with the names `NAMES`."""

    def larger(inner):
        return st.one_of(*(_joined(of, count)(inner) for of, count in ((ONE, 1), (TWO, 2), (more, 2), (CHOICES, 4))))

    return st.recursive(st.sampled_from(LEAVES), larger, max_leaves=most)


formulas = _formulas(WILD + TAME, 12)
"""Many of them have no value here and there."""

tame_formulas = _formulas(TAME, 6).map(LIMITED.format)
"""From -3 to 3, wherever they are evaluated."""


@dataclass(frozen=True)
class Plan:
    """What a random device is made of."""

    measures: int
    states: int
    unknowns: int
    parameters: int
    inputs: int
    force: float  # how large forces are
    speed: float  # [1/s] of the states
    texts: tuple[str, ...]


VARIED = (
    Plan(
        2,
        2,
        1,
        1,
        1,
        30.0,
        5.0,
        ("n0*n1", "curve(n2)", "min(n3, 2 - n4)", "if(n0 < n3, n1^3, 0.2*ramp(n2))", "1/(2 + n1^2)"),
    ),
    Plan(1, 1, 0, 1, 0, 30.0, 5e3, ("atan2(n0, 2 + n1)", "sign(n1, 0.5)*tanh(n2)", "log(1 + exp(n2)) - max(n0, 0)")),
    Plan(1, 1, 2, 0, 0, 3.0, 1.0, ("sin(n0)*cos(n1)", "sqrt(abs(n2) + 0.1)", "(2 + sin(n1))^n0")),
)
"""Devices with all operations of formulas, all of which have values everywhere."""

plans = st.builds(
    Plan,
    measures=st.integers(0, 3),
    states=st.integers(0, 3),
    unknowns=st.sampled_from((0, 0, 1, 2)),
    parameters=st.integers(0, 2),
    inputs=st.integers(0, 2),
    force=st.sampled_from((1.0, 30.0)),
    speed=st.sampled_from((0.1, 5.0, 200.0, 5e3)),
    texts=st.lists(tame_formulas, min_size=3, max_size=9).map(tuple),
)


def device_of(plan, name, elements, parameters):
    """The device of a plan, connected to some elements, with some parameters of a model."""
    n, nx, nu = len(elements), plan.states, plan.unknowns
    active = 2 * n + nx + nu
    given = active + len(parameters) + plan.inputs
    constants, made = [], []

    def add(what, text, readable):
        """A formula; its names stand for some of the first slots, u and x and y for what they are."""

        def slot(symbol):
            kind, number = symbol[0], int(symbol[1:])
            return {"n": number * 5 % max(readable, 1), "x": 2 * n + number, "u": 2 * n + nx + number}.get(
                kind, given + number
            )

        found = program(parse(text if readable else "1"), slot, CURVES)
        made.append(Formula(name, what, found.moved(len(constants))))
        constants.extend(found.constants)
        return len(made) - 1

    texts = iter(plan.texts * 10)
    known = active - nu  # and unknowns before one, so that there is one solution
    lead = add("output 'lead'", next(texts), known)
    residuals = [add(f"residual of 'u{i}'", f"u{i} + 0.2*u{i}^3 - ({next(texts)})*y0", known + i) for i in range(nu)]
    inner = len(made)
    rates = [add(f"rate of state 'x{i}'", f"{plan.speed}*({next(texts)} + y0 - x{i})", given) for i in range(nx)]
    forces = [add(f"force on 's{i}'", f"{plan.force}*({next(texts)} + y0)", given) for i in range(n - n // 3)]
    return Device(
        connections=tuple(
            Connection(f"{name}.s{i}", e, forces[i] if i < len(forces) else -1) for i, e in enumerate(elements)
        ),
        states=tuple(StateInfo(f"{name}.x{i}", "1", 0.1 * i, "A state", rate) for i, rate in enumerate(rates)),
        unknowns=tuple(
            UnknownInfo(f"{name}.u{i}", "1", 0.5, 1.0 + i, "An unknown", r) for i, r in enumerate(residuals)
        ),
        parameters=tuple(parameters),
        inputs=tuple(DeviceInput(f"{name}.i{i}", "1", 0.3, -2.0, None, "An input") for i in range(plan.inputs)),
        constants=tuple(constants),
        tables=TABLES,
        formulas=tuple(made),
        inner=inner,
        outputs=(DeviceOutput(f"{name}.lead", "1", "An output", lead),),
    )
