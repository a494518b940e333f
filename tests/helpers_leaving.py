"""Ways out of a table, and what must hold after a step that takes one: nothing has changed, and all can go on.

A way is a set of start values and loads under which some step fails.  Rates are such that the motion reaches the border
after a number of steps that is not whole, so that in some only the end of a step lies outside; loads are such that it
gets there from rest.
"""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from itertools import product

import numpy as np
from helpers_fmi import ERROR, OK, WARNING, Component

from fmu_src.errors import FmuError
from fmu_src.interface.variables import layout, variables
from fmu_src.numpy_runtime.dynamics import mechanics, prepare

MOST_STEPS = 60
AWAY = (0.3, 0.04, 0.005)
"""From the border, as shares of the table, starts a motion that is to leave it."""

STEPS = (0.1, 0.6, 0.97, 1.4, 2.97, 7.3, 20.5)
"""In which it would, at a constant rate or under a constant force."""

LENGTHS = np.geomspace(1.5, 1e15, 17).tolist()
"""Of a table or turns, in one step: what leaves any table, and what never stays in one without a border."""

FASTEST = 1e4
"""Of these at the start, about; a rate that no step could follow is refused before the first."""


@dataclass(frozen=True)
class Way:
    """Values by the names of variables: start values, and loads that act from the first step on."""

    values: dict[str, float]


def ways(model, size, ports=6):
    """The ways out of a model with steps of a size [s]: by start rates, generalized forces and forces on ports."""
    names = {variable.name for variable in variables(model)}
    z = np.array([start.value for start in model.starts])
    J = mechanics(prepare(model)[0], z).J
    found = []
    for k, axis in enumerate(model.charts[0].axes):
        length, rate, force = axis.upper - axis.lower, f"qd_start.{axis.name}", f"Q.{axis.name}"
        for side, lengths in product((1, -1), LENGTHS):
            found.append({rate: side * min(lengths, FASTEST * lengths ** (1 / 9)) * length / size})
            found.append({force: side * lengths * length / size**2 * J[k, k]})
        for side, away, steps in product((1, -1), AWAY, STEPS) if not axis.periodic else ():
            start = (axis.upper if side > 0 else axis.lower) - side * away * length
            found.append({f"q_start.{axis.name}": start, rate: side * away * length / (steps * size)})
            if steps >= 1:
                found.append(
                    {f"q_start.{axis.name}": start, force: 2 * side * away * length / (steps * size) ** 2 * J[k, k]}
                )
    rng = np.random.default_rng(5)
    for port in model.ports:
        for scale in np.geomspace(1e5, 1e12, ports):
            push = rng.normal(size=3)
            found.append({f"port.{port.name}.F[{i + 1}]": scale * push[i] for i in range(3)})
    return [Way(values) for values in found if set(values) <= names]


class Direct:
    """An instance of a run-time, made by `create`."""

    def __init__(self, create, model):
        self.create, self.table = create, variables(model)
        self.names = [variable.name for variable in self.table]
        self.outputs = list(range(layout(model).outputs.start, len(self.table)))

    def start(self, values):
        self.instance = self.create()
        self.put(values)
        self.instance.setup(0.0)
        self.instance.enter_initialization()
        self.instance.exit_initialization()

    def put(self, values):
        self.instance.set([self.names.index(name) for name in values], list(values.values()))

    def unload(self):
        inputs = [i for i, variable in enumerate(self.table) if variable.causality == "input"]
        self.instance.set(inputs, [self.table[i].start for i in inputs])

    def step(self, time, size):
        """The error, if there is one."""
        try:
            self.instance.step(time, size)
        except FmuError as error:
            return str(error)
        return None

    def get(self):
        return self.instance.get(self.outputs)

    def save(self):
        return self.instance.save()

    def restore(self, block):
        self.instance.restore(block)


class Fmu(Direct):
    """An FMU by its C functions; one instance, reset for each start."""

    def __init__(self, unpacked, model):
        super().__init__(None, model)
        self.component = Component(unpacked)

    def start(self, values):
        assert self.component.call("Reset") == OK
        self.put(values)
        for name, arguments in (
            ("SetupExperiment", (0, 0.0, 0.0, 0, 0.0)),
            ("EnterInitializationMode", ()),
            ("ExitInitializationMode", ()),
        ):
            assert self.component.call(name, *arguments) in (OK, WARNING), self.component.log[-1]

    def put(self, values):
        for name, value in values.items():
            assert self.component.set(name, value) == OK, self.component.log[-1]

    def unload(self):
        self.put({v.name: v.start for v in self.table if v.causality == "input"})

    def step(self, time, size):
        status = self.component.step(time, size)
        assert status in (OK, WARNING, ERROR)
        return self.component.log[-1][3] if status == ERROR else None

    def get(self):
        return self.component.get(*self.outputs)

    def save(self):
        state = self.component.save()
        block = self.component.to_bytes(state)
        self.component.call("FreeFMUstate", byref(state))
        return block

    def restore(self, block):
        state = self.component.from_bytes(block)
        assert self.component.call("SetFMUstate", state) == OK
        self.component.call("FreeFMUstate", byref(state))


def readable(runner):
    """Whether outputs can be read under the loads that act."""
    try:
        runner.get()
    except (FmuError, AssertionError):
        return False
    return True


def walk(runner, model, way, size):
    """Step until a step fails; True if one did, after which nothing has changed and all can go on."""
    names = [axis.name for chart in model.charts for axis in chart.axes] + [stiff.name for stiff in model.stiff]
    runner.start({name: value for name, value in way.values.items() if name.startswith("q")} | {"solver.step": 1.0})
    runner.put({name: value for name, value in way.values.items() if not name.startswith("q")})
    if model.quasistatic and not readable(runner):  # deflections follow at once; no step is to blame
        runner.unload()
        assert np.isfinite(runner.get()).all()
        return False
    states = []
    for i in range(MOST_STEPS):
        shown, state = runner.get(), runner.save()
        said = runner.step(i * size, size)
        if said is not None:
            break
        states.append(state)
    else:
        runner.get()
        return False
    assert any(f"'{name}'" in said for name in names), said
    assert "t = " in said
    assert ("solver.step" in said) or ("outside its table" in said) or ("inertia" in said) or ("equilibrium" in said), (
        said
    )
    # nothing has changed
    assert runner.get() == shown
    assert runner.save() == state
    # a smaller step, with the loads as they are
    assert any(runner.step(i * size, size * 10.0**-k) is None for k in range(2, 40, 2)), (way, said)
    assert np.isfinite(runner.get()).all()
    # back to where it was, and to the start
    runner.restore(state)
    assert runner.get() == shown and runner.step(i * size, size) == said
    for first in {0, len(states) // 2} if states else ():
        runner.restore(states[first])
        for j in range(first, min(first + 3, len(states))):
            runner.get()
            assert runner.save() == states[j]
            assert runner.step(j * size, size) is None
    # smaller loads, from the start
    if not any(name.startswith("qd_start") for name in way.values):
        runner.restore((states or [state])[0])
        runner.unload()
        assert runner.step(0.0, size) is None
        assert np.isfinite(runner.get()).all()
    # and from anew
    runner.start({})
    for j in range(3):
        assert runner.step(j * size, size) is None
    return True
