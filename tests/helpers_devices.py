"""Elements of formulas on their own, without a mechanism: what they do at given measures, and their motion by scipy."""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from fmu_src.numpy_runtime.devices import slots_of
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance
from precompute.device_types import TYPES, expand
from precompute.formulas.linking import link
from precompute.measures.joint_coordinate import JointCoordinate
from precompute.pipeline import bake
from precompute.reduction.devices import _device

ANYWHERE = JointCoordinate("slide")
TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
STIFF = {"method": "Radau", "rtol": 1e-8, "atol": 1e-11}


@dataclass(frozen=True)
class Done:
    """What an element does at a state."""

    force: np.ndarray  # (nm,)
    rate: np.ndarray  # (nx,)
    outputs: dict
    F: np.ndarray  # (nm, 2 nm + nx) slopes of force along s, sdot, x
    R: np.ndarray  # (nx, 2 nm + nx)


def _with(slope, options):
    """Options of scipy; of implicit methods with the element's own slopes."""
    options = TIGHT | options
    return options | ({"jac": slope} if options["method"] == "Radau" else {})


class Rig:
    """One element, compiled as for an FMU."""

    def __init__(self, device, unit="m"):
        units = dict.fromkeys((measure for _, measure in device.on), unit) if isinstance(unit, str) else unit
        links, problems = link([device], units.__getitem__)
        assert not problems, [str(p) for p in problems]
        self.device = device
        self.made = _device(
            links[0],
            {(device.name, p.name): number for number, p in enumerate(device.parameters)},
            {(device.name, symbol): number for number, (symbol, _) in enumerate(device.on)},
        )
        self.parameters = {p.name: p.value for p in device.parameters}
        self.inputs = {i.name: i.value for i in device.inputs}
        self.x0 = np.array([state.start for state in device.states])
        self.states = [state.name for state in device.states]

    @classmethod
    def of(cls, kind, unit="m", **values):
        """One of a ready type."""
        measures = TYPES[kind].measures
        if len(measures) == 1:
            return cls(expand(kind, "e", ANYWHERE, unit, values), unit)
        on = {measure.symbol: JointCoordinate("slide", k) for k, measure in enumerate(measures)}
        units = {measure.symbol: measure.unit for measure in measures}
        made = expand(kind, "e", on, units, values)
        return cls(made, {on[symbol]: unit for symbol, unit in units.items()})

    def at(self, s, v=0.0, x=None, slopes=False, **inputs):
        """What it does at measures, rates and states; inputs that are not given are at their start."""
        made, x = self.made, self.x0 if x is None else x
        given = [float(a) for a in (*self.parameters.values(), *(self.inputs | inputs).values())]
        u = [unknown.start for unknown in made.unknowns]
        slots = slots_of(made, [float(a) for a in (*np.atleast_1d(s), *np.atleast_1d(v), *x, *u)], given, slopes)
        own = slots[made.given :]
        forces = [own[c.force] for c in made.connections]
        rates = [own[state.rate] for state in made.states]
        width = made.u if slopes else 0
        return Done(
            np.array([entry.value for entry in forces]),
            np.array([entry.value for entry in rates]),
            {o.name.partition(".")[2]: own[o.formula].value for o in made.outputs},
            np.array([entry.slope for entry in forces]).reshape(len(forces), width),
            np.array([entry.slope for entry in rates]).reshape(len(rates), width),
        )

    def force(self, s, v=0.0, x=None, **inputs):
        return float(self.at(s, v, x, **inputs).force[0])

    def state(self, x, name):
        return x[..., self.states.index(name)]

    def driven(self, motion, times, x0=None, inputs=None, **options):
        """States over times, while the measure follows motion(t) -> s, v; inputs(t) -> a dict."""

        def rate(t, x):
            s, v = motion(t)
            return self.at(s, v, x, **(inputs(t) if inputs else {})).rate

        def slope(t, x):
            s, v = motion(t)
            return self.at(s, v, x, slopes=True, **(inputs(t) if inputs else {})).R[:, 2:]

        start = self.x0 if x0 is None else x0
        found = solve_ivp(rate, (times[0], times[-1]), start, t_eval=times, **_with(slope, options))
        assert found.success, found.message
        return found.y.T

    def moved(self, mass, s, v, times, load=lambda t: 0.0, inputs=None, x0=None, **options):
        """Measure, rate and states over times, of a mass on it."""

        def rate(t, y):
            done = self.at(y[0], y[1], y[2:], **(inputs(t) if inputs else {}))
            return np.array([y[1], (done.force[0] + load(t)) / mass, *done.rate])

        def slope(t, y):
            done = self.at(y[0], y[1], y[2:], slopes=True, **(inputs(t) if inputs else {}))
            return np.vstack((np.eye(1, len(y), 1), done.F / mass, done.R))

        start = np.concatenate(([s, v], self.x0 if x0 is None else x0))
        found = solve_ivp(rate, (times[0], times[-1]), start, t_eval=times, **_with(slope, options))
        assert found.success, found.message
        return found.y.T

    def slope_error(self, s, v, x, step=1e-6, scales=None, **inputs):
        """How far the slopes are from central differences, relative to the largest of each row."""
        done = self.at(s, v, x, slopes=True, **inputs)
        at = np.array([s, v, *x], dtype=float)
        scales = np.maximum(np.abs(at), 1e-3) if scales is None else np.asarray(scales, dtype=float)
        exact = np.vstack((done.F, done.R)) * scales
        columns = []
        for k in range(len(at)):
            ends = []
            for sign in (1.0, -1.0):
                moved = at.copy()
                moved[k] += sign * step * scales[k]
                there = self.at(moved[0], moved[1], moved[2:], **inputs)
                ends.append(np.concatenate((there.force, there.rate)))
            columns.append((ends[0] - ends[1]) / (2.0 * step))
        difference = np.array(columns).T - exact
        largest = np.abs(exact).max(axis=1, keepdims=True) + 1e-300
        return float((np.abs(difference) / largest).max())


def stepped(mechanism, step, stop, names, drive=None):
    """Values of variables at the end of every step; drive(t) gives those that are set before it."""
    made = Instance(prepare(bake(mechanism)))
    number = {variable.name: i for i, variable in enumerate(made.variables)}
    made.set([number["solver.step"]], [step])
    made.setup(0.0)
    made.enter_initialization()
    made.exit_initialization()
    found = []
    for i in range(round(stop / step)):
        given = drive(i * step) if drive else {}
        made.set([number[name] for name in given], list(given.values()))
        made.step(i * step, step)
        found.append(made.get([number[name] for name in names]))
    return np.array(found)
