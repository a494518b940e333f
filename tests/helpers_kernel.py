"""The NumPy reference and the compiled kernel side by side."""

from __future__ import annotations

import numpy as np
from helpers_random import shaken

from fmu_src.build.compile import library
from fmu_src.build.model_writer import save
from fmu_src.errors import FmuError, StepError
from fmu_src.interface.inputs import input_slots
from fmu_src.interface.source import Operation
from fmu_src.interface.variables import TAG_BYTES, layout, variables
from fmu_src.model.laws import check_laws
from fmu_src.model.rows import CHUNK, inertia_count
from fmu_src.numpy_runtime.devices import start_memory
from fmu_src.numpy_runtime.dynamics import prepare
from fmu_src.numpy_runtime.instance import Instance, Phase
from fmu_src.slave.kernel_instance import KernelModel
from fmu_src.slave.kernel_library import load_library
from fmu_src.slave.runtimes import MODEL_FILE

SHAKES = 3
SHAKE = 1e-6
TRIES = 20
KINEMATIC = ("m", "rad", "m/s", "rad/s")

FIRST = 7
"""Numbers of a state before its vectors."""


class Pair:
    """A model in both run-times."""

    def __init__(self, model, folder, path=None):
        self.model = model
        self.table, self.layout = variables(model), layout(model)
        self.names = [variable.name for variable in self.table]
        self.numpy = Instance(prepare(model))
        self.shaken = [Instance(prepare(shaken(model, SHAKE, seed))) for seed in range(SHAKES)]
        self.file = save(model, folder / MODEL_FILE)
        self.compiled = KernelModel(load_library(path or library()), self.file)()
        self.nz = len(model.starts)
        self.memory = tuple(part.size for part in start_memory(model))  # of devices
        self.end = FIRST + 6 * self.nz + sum(self.memory)
        self.outputs = range(self.layout.outputs.start, len(self.table))
        # what is not exact below this is no error: 1 m and 1 rad, and their rates
        self.floor = np.array([float(v.unit in KINEMATIC) for v in self.table[self.layout.outputs]])
        shown = [v.source.operation for v in self.table[self.layout.outputs]]
        self.may_lack = np.isin(shown, (Operation.RATIO, Operation.SCREW))
        if model.quasistatic:  # deflections are found to a part of their radius, so forces to that times the stiffness
            units = np.array([v.unit for v in self.table[self.layout.outputs]])
            found = stiffest(model) * min(stiff.radius for stiff in model.stiff)
            self.floor[np.isin(units, ("N", "N.m", "J"))] = found
            self.floor[np.isin(units, ("m/s2", "rad/s2"))] = found / heaviest(model)

    def start(self):
        """Initialize both; their warnings must be the same."""
        said = []
        for instance in (self.numpy, self.compiled):
            instance.setup(0.0)
            instance.enter_initialization()
            said.append(instance.exit_initialization())
        assert said[0] == said[1]
        return self

    def put(self, name, value):
        for instance in (self.numpy, self.compiled):
            instance.set([self.names.index(name)], [value])

    def numbers(self, instance=None):
        """Phase, time, chart, lap, age, error, pace, six vectors, memory of devices, derivatives of inputs, values."""
        return np.frombuffer((instance or self.compiled).save()[TAG_BYTES:])

    def block(self, numbers):
        return self.numpy.save()[:TAG_BYTES] + np.asarray(numbers, dtype="<f8").tobytes()

    def outcome(self, instance, block, step):
        """Outputs at a state, or state and outputs a step later; or the error."""
        instance.restore(block)
        try:
            if step:
                instance.step(0.0, step)
            found = np.array(instance.get(self.outputs))
            return np.concatenate((self.numbers(instance)[2 : self.end], found)) if step else found
        except FmuError as error:
            return error

    def near(self, other, numbers, rng, step, expected):
        """What comes out of another model with numbers that are shaken; some are refused, such as negative damping."""
        for _ in range(TRIES):
            signs = rng.choice((-1.0, 1.0), len(numbers)) * (np.arange(len(numbers)) >= FIRST)
            signs[self.end : -len(self.table)] = 0.0  # derivatives of inputs, which NumPy does not have
            found = self.outcome(other, self.block(numbers + SHAKE * signs * np.maximum(0.1, np.abs(numbers))), step)
            if not isinstance(found, FmuError):
                return found
        return expected

    def difference(self, numbers, rng, step=0.0):
        """Largest difference of the outputs at a state, or of these and the state a step later, over their scales.

        The scale of an output is how much it changes when all that it is made of (tables, state, inputs, parameters)
        changes by a small part, divided by that part: for an acceleration about the sum of all forces, each without
        its sign, over the inertia.  A difference of 1e-12 is then one that changes in the 12th digit of the data
        would explain.  An error must be the same in both.
        """
        block = self.block(numbers)
        expected, found = (self.outcome(instance, block, step) for instance in (self.numpy, self.compiled))
        if isinstance(expected, FmuError) or isinstance(found, FmuError):
            assert type(expected) is type(found) and alike(str(expected), str(found)), (expected, found)
            return 0.0
        floor = np.concatenate((np.ones(self.end - 2), self.floor)) if step else self.floor
        lacking = np.isnan(expected)  # of wheels in motion, where that is not defined
        assert not (lacking[len(lacking) - len(self.outputs) :] & ~self.may_lack).any()
        assert np.isnan(found[lacking]).all() and np.isfinite(found[~lacking]).all()
        scale = np.maximum(floor, np.abs(expected))
        for other in self.shaken:
            scale = np.fmax(scale, np.abs(self.near(other, numbers, rng, step, expected) - expected) / SHAKE)
        apart = np.where(lacking, 0.0, np.abs(found - expected))
        worst = np.divide(apart, scale, out=np.where(apart > 0.0, np.inf, 0.0), where=scale > 0.0)
        return float(worst.max())


def stiffest(model):
    """Largest stiffness of a linear law."""
    laws = [law for element in model.elements for law in element.laws]
    laws = [law for law in laws if (law.argument, law.side, law.curve) == ("extension", "both", "linear")]
    return max(model.parameters[law.parameters[0]].value for law in laws)


def heaviest(model):
    """Largest coefficient of a table of the inertia."""
    blocks = [(block, cells) for chart in model.charts for block in chart.blocks for cells in enumerate(block.cells)]
    end = inertia_count(len(model.starts))
    return max(
        np.abs(block.coefficients[..., CHUNK * c :][..., :CHUNK]).max() for block, (c, (row, *_)) in blocks if row < end
    )


def alike(a, b):
    """Whether two messages say the same; numbers may differ in their last digits."""
    words = [text.replace(",", " ").replace(";", " ").split() for text in (a, b)]
    return len(words[0]) == len(words[1]) and all(x == y or _near(x, y) for x, y in zip(*words, strict=True))


def _near(x, y):
    try:
        x, y = (float(word.strip("[]()':.")) for word in (x, y))
    except ValueError:
        return False
    return x == y or abs(x - y) <= 1e-3 * max(abs(x), abs(y)) or (x != x and y != y)


def random_numbers(pair, rng, chart=None):
    """A saved state inside the tables, with random inputs and parameters that its laws accept."""
    model = pair.model
    chart = int(rng.integers(len(model.charts))) if chart is None else chart
    z = [_inside(axis, rng) for axis in model.charts[chart].axes]
    z += [stiff.about + 0.8 * rng.uniform(-stiff.radius, stiff.radius) for stiff in model.stiff]
    zd = [*rng.normal(size=len(model.coordinates)), *(rng.normal() * stiff.radius for stiff in model.stiff)]
    zdd = [*rng.normal(size=len(model.coordinates)), *(10.0 * rng.normal() * stiff.radius for stiff in model.stiff)]
    past = random_past(model, z, zd, zdd, rng)
    values = np.array([variable.start or 0.0 for variable in pair.table])
    lap = int(rng.integers(-2, 3)) if len(model.charts) > 1 else 0
    for i, variable in enumerate(pair.table):
        if variable.causality == "input":
            values[i] += rng.normal() * (100.0 if variable.unit == "N" else 1.0)
        elif variable.variability == "tunable" and not variable.name.startswith("solver."):
            _try(pair, values, i, values[i] * rng.uniform(0.8, 1.25))
    rates = np.zeros(input_slots(model).count)
    head = [float(Phase.STEPPING), 0.0, chart, lap, past[0], -1.0, 0.0]
    return np.array([*head, *z, *zd, *past[1:], *random_memory(pair, rng), *rates, *values])


def random_memory(pair, rng):
    """States and unknowns of devices; mean rates of states, where a midpoint rule has left them."""
    nx, nu, _ = pair.memory
    lasting = pair.model.stiff and pair.model.method == "midpoint" and not pair.model.quasistatic
    return np.concatenate((rng.normal(size=nx + nu), 10.0 * rng.normal(size=nx) * bool(lasting)))


def random_past(model, z, zd, zdd, rng):
    """What a midpoint rule leaves behind: matrices found before, mostly not far from here; with other methods zeros."""
    if not model.stiff or model.quasistatic or model.method != "midpoint":
        return np.zeros(1 + 4 * len(z))
    spans = [0.01 * (axis.upper - axis.lower) for axis in model.charts[0].axes]
    away = rng.normal(size=len(z)) * [*spans, *(0.5 * stiff.radius for stiff in model.stiff)]
    then = np.array(z) + rng.choice((0.1, 0.3, 1.0)) * away
    return np.array([rng.integers(10), *zdd, *(1.1 * np.array(zdd)), *then, *(0.9 * np.array(zd))])


def _inside(axis, rng):
    x = rng.uniform(axis.lower, axis.upper)
    if axis.periodic:
        return x + rng.integers(-2, 3) * (axis.upper - axis.lower)
    return x + 0.2 * rng.normal() * (axis.outside == "linear") * (rng.random() < 0.3)


def _try(pair, values, place, value):
    """Change a parameter unless its laws refuse it."""
    old, values[place] = values[place], value
    variable = pair.table[place]
    try:
        if variable.minimum is not None and value < variable.minimum:
            raise StepError("too small")
        check_laws(pair.model, [values[i] for i in pair.layout.parameters])
    except StepError:
        values[place] = old
