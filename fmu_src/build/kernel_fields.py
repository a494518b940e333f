"""What the kernel reads of a model: one list of fields, which writes the stream and generates the C reader.

A record is a list of fields in the order of the stream.  `kernel/fields.h` is generated from these lists (see
`kernel_reader`): the C structs, and functions that read them and refuse what is out of range, so writer and reader
cannot disagree.  Limits are C expressions in which `m` is the model and `o` the record itself, of which what comes
earlier is known.

Words are int64 or float64, little-endian.  A text is its number of bytes and then the bytes, filled up with zeros to
whole words, at least one zero last.  A table is its place in the payload (bytes from the payload's start) and its
number of words.  A list is its number of records and then these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

VERSION = 19
"""Of the stream."""


@dataclass(frozen=True)
class Field:
    """One field; `what` says in errors what is wrong."""

    name: str
    what: str


@dataclass(frozen=True)
class Int(Field):
    """An integer from `least` to `most`."""

    least: str
    most: str


@dataclass(frozen=True)
class Real(Field):
    """A finite number."""


@dataclass(frozen=True)
class Bound(Field):
    """A number that may be infinite."""


@dataclass(frozen=True)
class Text(Field):
    """A text."""


@dataclass(frozen=True)
class Ints(Field):
    """So many integers from `least` to `most`."""

    count: str
    least: str
    most: str


@dataclass(frozen=True)
class Reals(Field):
    """So many finite numbers."""

    count: str


@dataclass(frozen=True)
class Table(Field):
    """So many numbers in the payload, which are not copied."""

    count: str


@dataclass(frozen=True)
class List(Field):
    """Records; their number is a field of its own, called `count`, unless it is fixed."""

    of: Record
    count: str
    fixed: bool = False  # `count` is an expression, and not written


@dataclass(frozen=True)
class Record:
    """Fields in the order of the stream, and members that the reader finds itself."""

    name: str
    about: str
    fields: tuple[Field, ...]
    more: tuple[str, ...] = field(default=())  # C declarations


def flag(name: str, what: str) -> Int:
    """Yes or no."""
    return Int(name, what, "0", "1")


def row(name: str, what: str, there: str, count: str) -> Int:
    """The first of some rows, or -1 if they are not there."""
    return Int(name, what, f"{there} ? 0 : -1", f"{there} ? o->end[KT_REQUEST] - {count} : -1")


VARIABLE = Record(
    "Variable",
    "a variable of the FMU, by its value reference",
    (
        Int("causality", "a causality", "KT_PARAMETER", "KT_OUTPUT"),
        flag("fixed", "a variability"),
        Real("start", "a start value"),
        Bound("lower", "a limit"),
        Bound("upper", "a limit"),
        Text("name", "a name"),
        Text("unit", "a unit"),
    ),
)

OUTPUT = Record(
    "Output",
    "where an output comes from, see source.py",
    (
        Int("operation", "an operation", "0", "KT_OPERATIONS - 1"),
        Int("index", "the index of an output", "0", "1 << 20"),
        Real("lap", "the lap of an output"),
        Int("part", "the part of an output", "0", "1 << 20"),
        Real("factor", "the factor of an output"),
        Ints("row", "the row of an output", "m->charts", "-1", "1 << 20"),
    ),
)

START = Record(
    "Start",
    "a variable that says where the motion starts",
    (
        Int("place", "the place of a start value", "0", "2 * (m->nf + m->ns) + m->states - 1"),
        Int("reference", "the variable of a start value", "0", "m->outputs_at - 1"),
    ),
)

CONTACT = Record(
    "Contact",
    "a follower that its cam can only press",
    (
        Text("name", "the name of a contact"),
        Int("reference", "the normal force of a contact", "m->outputs_at", "m->variables - 1"),
        Int("axis", "the axis of a contact", "0", "m->nf - 1"),
        List(
            "border",
            "the borders of a contact",
            Record("Corner", "where a profile begins another piece", (Real("at", "a border"),)),
            "borders",
        ),
    ),
)

STIFF = Record(
    "Stiff",
    "a stiff coordinate",
    (
        Real("about", "a deflection"),
        Real("radius", "a radius"),
        Real("promise", "a tolerance"),
        flag("floats", "whether a deflection floats"),
        Text("name", "a name"),
        Text("unit", "a unit of messages"),
        Real("told", "a unit of messages"),
        Text("effort", "a unit of messages"),
        Real("told_effort", "a unit of messages"),
    ),
)

DRIVE = Record(
    "Drive",
    "a coordinate whose motion is an input",
    (
        Int("axis", "the axis of a drive", "0", "m->nf - 1"),
        Int("first", "the inputs of a drive", "0", "m->inputs - 1"),
        Real("filter_time", "the filter of a drive"),
    ),
)

LAW = Record(
    "Law",
    "a force law, see law_parts.py",
    (
        Int("argument", "the argument of a law", "0", "KT_LAW_ARGUMENTS - 1"),
        Int("side", "the side of a law", "0", "KT_LAW_SIDES - 1"),
        Int("curve", "the curve of a law", "0", "KT_LAW_CURVES - 1"),
        Int("reference", "the reference of a law", "-1", "m->parameters - 1"),
        Int("preload", "the preload of a law", "-1", "m->parameters - 1"),
        Real("design", "a value at design"),
        Int("count", "the number of parameters of a law", "0", "1 << 16"),
        Ints("parameters", "a parameter of a law", "o->count", "0", "m->parameters - 1"),
    ),
)

ELEMENT = Record(
    "Element",
    "a spring, a damper or one direction of a bushing",
    (
        Int("measure", "a measure", "0", "m->measures - 1"),
        Real("lap", "the lap of an element"),
        Text("name", "a name"),
        List("law", "the number of laws", LAW, "laws"),
    ),
)

COUPLING = Record(
    "Coupling",
    "an off-diagonal entry of a bushing",
    (
        Int("a", "a coupling", "0", "m->elements - 1"),
        Int("b", "a coupling", "0", "m->elements - 1"),
        Int("stiffness", "a coupling", "0", "m->parameters - 1"),
        Int("damping", "a coupling", "0", "m->parameters - 1"),
    ),
)

BUSHING = Record(
    "Bushing",
    "a bushing with couplings",
    (
        Int("count", "the directions of a bushing", "1", "6"),
        Ints("element", "a direction of a bushing", "o->count", "0", "m->elements - 1"),
    ),
)

FORMULA = Record(
    "Formula",
    "a formula of a device, see programs.py",
    (
        Text("owner", "a name"),
        Text("what", "a name"),
        Int("count", "the length of a formula", "1", "KT_MOST_INSTRUCTIONS"),
        Ints("code", "an instruction", "2 * o->count", "-(1 << 30)", "1 << 30"),
    ),
)

UNKNOWN = Record(
    "DeviceUnknown",
    "an unknown of a device",
    (Text("name", "a name"), Real("start", "a start value"), Real("nominal", "a nominal value")),
)

DEVICE_STATE = Record("DeviceState", "a state of a device", (Text("name", "a name"),))

CURVE = Record(
    "Curve",
    "a piecewise linear function that formulas read",
    (
        Int("count", "the length of a table", "2", "1 << 16"),
        Reals("x", "a table", "o->count"),
        Reals("y", "a table", "o->count"),
    ),
)

DEVICE = Record(
    "Device",
    "an element that is described by formulas, or several that read one another, see devices.py",
    (
        List("formula", "the number of formulas", FORMULA, "formulas"),
        Int("inner", "the formulas of residuals", "0", "o->formulas"),
        Int("connections", "the measures of a device", "0", "KT_MOST_ACTIVE"),
        Ints("element", "a measure of a device", "o->connections", "0", "m->elements - 1"),
        Ints("force", "a force of a device", "o->connections", "-1", "o->formulas - 1"),
        List("state", "the number of states", DEVICE_STATE, "states"),
        Ints("rate", "a rate of a device", "o->states", "0", "o->formulas - 1"),
        List("unknown", "the number of unknowns", UNKNOWN, "unknowns"),
        Ints("residual", "a residual of a device", "o->unknowns", "0", "o->inner - 1"),
        Int("parameters", "the parameters of a device", "0", "m->parameters"),
        Ints("parameter", "a parameter of a device", "o->parameters", "0", "m->parameters - 1"),
        Int("inputs", "the inputs of a device", "0", "m->inputs - m->device_inputs"),
        Int("loads", "the loads of a device", "0", "o->unknowns"),
        Ints("load", "a load of a device", "o->loads", "m->outputs_at", "m->variables - 1"),
        Ints("pressed", "a load of a device", "o->loads", "0", "o->unknowns - 1"),
        Int("constants", "the constants of a device", "0", "1 << 16"),
        Reals("constant", "a constant", "o->constants"),
        List("curve", "the number of tables", CURVE, "curves"),
    ),
    (
        "int first_connection, first_state, first_unknown, first_curve; /* of it among those of all devices */",
        "int at; /* its values among those of all; from there on: */",
        "int width; /* numbers that slopes are along: s, sdot and x, */",
        "int active; /* and the unknowns: the first of its values; */",
        "int stride; /* of rows of slopes, in numbers */",
        "int flat; /* then those of formulas and steps between; from here on there are no slopes: parameters, */",
        "int pressing; /* inputs, */",
        "int fixed; /* what its loads are made of, */",
        "int values; /* constants: all of them */",
        "const struct Move *move, *outer; /* its formulas, see programs.c; where those behind the inner ones begin */",
        "const int *ends; /* of each, among the moves of all devices */",
        "size_t slopes_at; /* slopes of forces and then of rates, among those of all devices */",
        "const char *names; /* of its unknowns, for messages */",
    ),
)

MARKER = Record(
    "Marker",
    "a marker",
    (
        flag("has_spin", "a spin axis"),
        Reals("spin", "a spin axis", "3"),
        Reals("design", "a spin axis", "3"),
    ),
)

BALL = Record(
    "Ball",
    "a point of a steering axis",
    (flag("carried", "the body of a ball"), Reals("at", "the place of a ball", "3")),
)

WHEEL = Record(
    "Wheel",
    "a wheel, see wheels.py",
    (
        Text("name", "a name"),
        Int("marker", "the marker of a wheel", "0", "m->markers - 1"),
        Int("outboard", "the side of a wheel", "-1", "1"),
        Real("radius", "the radius of a wheel"),
        Reals("spin", "the spin axis of a wheel", "3"),
        Reals("centre", "the centre of a wheel", "3"),
        Reals("axes", "the axes of a wheel", "9"),
        List("ball", "the number of balls", BALL, "balls"),
        Int("steering", "the steering of a wheel", "-1", "m->nf - 1"),
        Int("spring", "the spring of a wheel", "-1", "m->elements - 1"),
    ),
)

TRACK = Record(
    "Track",
    "a disc on the floor, see track.py",
    (
        Text("name", "a name"),
        flag("rolling", "the contact of a disc"),
        Int("spin", "the spin of a disc", "0", "m->nf - 4"),
        Real("radius", "the radius of a disc"),
        Reals("point", "the place of a disc", "3"),
        Reals("axes", "the axes of a disc", "9"),
        Reals("floor", "the axes of a floor", "6"),
    ),
)

AXIS = Record(
    "Axis",
    "an axis of a chart",
    (
        Text("name", "a name"),
        Text("unit", "a unit of messages"),
        Real("told", "a unit of messages"),
        Text("effort", "a unit of messages"),
        Real("told_effort", "a unit of messages"),
        Real("lower", "the range of an axis"),
        Real("upper", "the range of an axis"),
        Real("promise", "a tolerance"),
        flag("periodic", "the kind of an axis"),
        flag("linear", "the kind of an axis"),
    ),
)

MARKER_ROWS = Record(
    "MarkerRows",
    "the rows of a marker",
    (
        Int("r", "the place of a marker", "0", "KT_MOST_ROWS - KT_POSITION_ROWS"),
        Int("R", "the place of a rotation", "0", "KT_MOST_ROWS - KT_ROTATION_ROWS"),
        Int("A", "the place of an angular Jacobian", "0", "KT_MOST_ROWS - KT_TURNING_ROWS * (m->nf + m->ns)"),
    ),
)

SLOPE = Record(
    "Slope",
    "a part of a row that grows by a fixed slope",
    (
        Int("row", "the row of a slope", "0", "KT_MOST_ROWS - 1"),
        Int("axis", "the axis of a slope", "0", "m->nf - 1"),
        Real("slope", "a slope"),
        Real("reference", "a slope"),
    ),
)

GRID = Record(
    "Grid",
    "knots that blocks share, along one axis",
    (
        Int("axis", "the axis of a grid", "0", "m->nf - 1"),
        Int("degree", "the degree of a grid", "1", "KT_MOST_DEGREE"),
        Int("count", "the size of a grid", "o->degree + 1", "1 << 24"),
        Table("knots", "the place of a grid", "(size_t)o->count + (size_t)o->degree + 1"),
    ),
    (
        "const double *powers; /* (count - degree, degree + 1, KT_WIDTH): basis functions of spans in powers of t */",
        "const double *per_length; /* (count - degree) one over the length of each span */",
    ),
)

BASIS = Record(
    "Basis",
    "what coefficients along one axis are sums of, see factors.py",
    (
        Int("count", "the size of a basis", "1", "1 << 15"),
        Int("rank", "the size of a basis", "1", "o->count"),
        Table("numbers", "the place of a basis", "(size_t)o->count * (size_t)o->rank"),
    ),
)

CHANGE = Record(
    "Change",
    "eight columns that design parameters change, see designs.py",
    (
        Int("cell", "the cell of a change", "0", "1 << 21"),
        Int("product", "the product of a change", "0", "KT_PRODUCTS(m->designs) - 1"),
    ),
)

DESIGN = Record(
    "Design",
    "a design parameter",
    (
        Int("reference", "the variable of a design parameter", "0", "m->first_input - 1"),
        Real("range", "the range of a design parameter"),
        Real("told", "a unit of messages"),
        Text("unit", "a unit of messages"),
    ),
)

DESIGN_NUMBER = Record(
    "DesignNumber",
    "a number outside of the tables that design parameters change",
    (
        Int("kind", "the kind of a number", "0", "KT_NUMBERS - 1"),
        Int("place", "the place of a number", "0", "1 << 24"),
        Int("part", "the place of a number", "0", "1 << 24"),
        Real("bare", "a number"),
        Reals("change", "the change of a number", "KT_PRODUCTS(m->designs)"),
    ),
    ("double *at; /* where it is in the model */",),
)

BLOCK = Record(
    "Block",
    "splines over the same axes with the same knots",
    (
        Int("nb", "the axes of a block", "0", "KT_MOST_AXES"),
        Ints("grid", "the grid of a block", "o->nb", "0", "KT_MOST_GRIDS - 1"),
        Int("columns", "the columns of a block", "1", "1 << 24"),
        Int("words", "the size of a block", "1", "1 << 28"),
        Table("core", "the place of a block", "(size_t)o->words"),
        List("basis", "the number of bases", BASIS, "bases"),
        Int("changes", "the changes of a block", "0", "1 << 24"),
        List("change", "the changes of a block", CHANGE, "o->changes", fixed=True),
        Int("change_words", "the size of changes", "0", "1 << 28"),
        Table("change_core", "the place of changes", "(size_t)o->change_words"),
        List("change_basis", "the bases of changes", BASIS, "change_bases"),
    ),
    (
        "const double *coefficients; /* the core times the bases, or itself if there are none; with changes added */",
        "const double *bare; /* without them; none if there are none */",
        "size_t places; /* coefficients of a column */",
        "int degree; /* along all axes */",
        "int weighed; /* whether it takes the weights of all its corners */",
        "size_t weights_at; /* where these are */",
        "size_t stride[KT_MOST_AXES]; /* between neighbours along each axis */",
        "size_t at; /* its first column among all of the chart */",
        "const double *powers; /* (spans, columns / 8, degree + 1, 8) or none: its columns in powers of t */",
    ),
)

PART = Record(
    "Part",
    "what a block adds to a run of chunks: cells without deflection, with one, with two and so on",
    (
        Int("block", "the block of a part", "0", "KT_MOST_BLOCKS - 1"),
        Int("offset", "the place of a part", "0", "1 << 24"),
        Int("step", "the place of a part", "0", "1 << 24"),
        flag("plain", "the cells of a part"),
        Ints("times", "the cells of a part", "KT_FACTORS", "0", "KT_MOST_CELLS"),
        Ints("factor", "the factor of a cell", "kt_factors(o->times, KT_FACTORS)", "0", "m->ns - 1"),
    ),
    ("int all; /* whether its factors are all deflections in turn: none need be looked up */",),
)

RUN = Record(
    "Run",
    "chunks of rows, one after the other, to which the same blocks add as many cells",
    (
        Int("need", "the need of rows", "0", "KT_NEEDS - 1"),
        Int("row", "the rows of a chunk", "0", "KT_MOST_ROWS - KT_CHUNK"),
        Int("chunks", "the number of chunks", "1", "KT_MOST_ROWS / KT_CHUNK"),
        flag("kept", "the kind of rows"),
        List("part", "the number of parts", PART, "parts"),
    ),
)

BORDER = Record(
    "Border",
    "where a chart hands over to another",
    (
        Int("axis", "the axis of a border", "0", "m->nf - 1"),
        flag("upper", "the side of a border"),
        Int("chart", "the chart of a border", "0", "m->charts - 1"),
        Int("lap", "the lap of a border", "-(1 << 20)", "1 << 20"),
        Int("row", "the place of a border", "0", "KT_MOST_ROWS - m->nf"),
        Real("at", "the place of a border"),
        Reals("offset", "the offset of a border", "m->nf"),
    ),
)

CHART = Record(
    "Chart",
    "tables over one set of coordinates; for the rows see rows.py",
    (
        List("axis", "an axis", AXIS, "m->nf", fixed=True),
        Ints("end", "the number of rows", "KT_NEEDS", "0", "KT_MOST_ROWS"),
        Ints("S", "the place of S", "3", "0", "o->end[KT_ACROSS] - 1"),
        Int("s", "the place of the measures", "0", "o->end[KT_MOTION] - m->measures"),
        row("N", "the place of N", "m->moving || m->tracks", "6 * (m->nf + m->ns)"),
        row("I", "the place of I", "m->moving || m->tracks", "6"),
        row("G", "the place of G", "m->charts > 1", "m->nf * m->nf"),
        row("c", "the place of the coordinates", "m->charts > 1", "m->nf"),
        List("marker", "a marker", MARKER_ROWS, "m->markers", fixed=True),
        List("slope", "the number of slopes", SLOPE, "slopes"),
        List("grid", "the number of grids", GRID, "grids"),
        List("block", "the number of blocks", BLOCK, "blocks"),
        List("run", "the number of runs", RUN, "runs"),
        List("border", "the number of borders", BORDER, "borders"),
    ),
    (
        "int run_end[KT_NEEDS]; /* of the runs of each need */",
        "const double *least, *most; /* (nz) where tables were measured, and a little more if they must not be left */",
        "const double *path; /* (nz) how far a step may go */",
        "const double *cell; /* (nf) length of the cells of the finest grid that steps read, along each axis */",
    ),
)

ERROR_ROWS = Record(
    "ErrorRows",
    "remainders of one kind and degree, see remainder.py",
    (
        Int("kind", "the kind of remainders", "0", "2"),
        Int("degree", "the degree of remainders", "1", "KT_MOST_ERROR_DEGREE"),
        Int("count", "the number of remainders", "1", "1 << 16"),
        Int("products", "the products of deflections", "1", "1 << 20"),
        Table(
            "coefficients", "the place of remainders", "(size_t)o->count * (size_t)m->functions * (size_t)o->products"
        ),
    ),
)

MODEL = Record(
    "Model",
    "a model as the kernel has it in memory",
    (
        Int("version", "its version", "KT_PLAN", "KT_PLAN"),
        Text("guid", "its identity"),
        Int("nf", "the number of axes", "1", "KT_MOST_Z"),
        Int("ns", "the number of stiff coordinates", "0", "KT_MOST_Z - o->nf"),
        flag("quasistatic", "whether stiff coordinates are quasi-static"),
        flag("moving", "whether the ground moves"),
        Int("charts", "the number of charts", "1", "o->ns ? 1 : 1 << 16"),
        flag("midpoint", "its method"),
        Text("tag", "its identity"),
        Real("mass", "the mass"),
        List("variable", "the number of variables", VARIABLE, "variables"),
        Int("first_input", "the place of the inputs", "1", "o->variables"),
        Int("inputs_at", "the place of the inputs", "o->first_input", "o->variables"),
        Int("outputs_at", "the place of the outputs", "o->inputs_at", "o->variables"),
        Int("inputs", "the number of inputs", "o->outputs_at - o->inputs_at", "o->outputs_at - o->inputs_at"),
        List("output", "an output", OUTPUT, "o->variables - o->outputs_at", fixed=True),
        Int("states", "the states of devices", "0", "KT_MOST_STATES"),
        Int("unknowns", "the unknowns of devices", "0", "KT_MOST_STATES"),
        List("start", "the number of start values", START, "starts"),
        Reals("start_number", "a start value", "2 * (o->nf + o->ns)"),
        Int("parameters", "the number of parameters", "3", "o->outputs_at"),
        Ints("parameter", "a parameter", "o->parameters", "0", "o->outputs_at - 1"),
        Ints("gravity", "gravity", "3", "0", "o->parameters - 1"),
        Reals("lap", "the lap of a coordinate", "o->nf"),
        List("stiff", "a stiff coordinate", STIFF, "o->ns", fixed=True),
        Int("forced", "the number of generalized forces", "0", "o->nf < o->inputs ? o->nf : o->inputs"),
        Ints("forced_axis", "a generalized force", "o->forced", "0", "o->nf - 1"),
        List("drive", "the number of drives", DRIVE, "drives"),
        Int("twist", "the place of the twist", "0", "o->inputs - 6 * o->moving"),
        Int("twist_rate", "the place of the twist's rate", "0", "o->inputs - 6 * o->moving"),
        Int("loads", "the place of the loads", "0", "o->inputs"),
        Int("vectors", "the vectors of a state", "KT_VECTORS", "KT_VECTORS"),
        Int("measures", "the number of measures", "0", "KT_MOST_ROWS"),
        Int("varying", "the number of varying measures", "0", "o->measures"),
        List("element", "the number of elements", ELEMENT, "elements"),
        List("coupling", "the number of couplings", COUPLING, "couplings"),
        List("bushing", "the number of coupled bushings", BUSHING, "bushings"),
        Int("device_inputs", "the place of the inputs of devices", "o->loads", "o->inputs"),
        List("device", "the number of devices", DEVICE, "devices"),
        Int("cardans", "the number of bushings with Cardan angles", "0", "o->elements / 6"),
        Ints("cardan", "a bushing with Cardan angles", "o->cardans", "0", "o->elements - 6"),
        List("marker", "the number of markers", MARKER, "markers"),
        Int("ports", "the number of ports", "0", "(o->device_inputs - o->loads) / 6"),
        Ints("port", "the marker of a port", "o->ports", "0", "o->markers - 1"),
        List("wheel", "the number of wheels", WHEEL, "wheels"),
        Int(
            "wheel_inputs",
            "the place of the inputs of wheels",
            "o->loads + 6 * o->ports",
            "o->device_inputs - KT_WHEEL_INPUTS * o->wheels",
        ),
        Int("loaded", "the number of markers where forces act", "0", "o->markers"),
        Ints("load_of_port", "the load of a port", "o->ports", "0", "o->loaded - 1"),
        Ints("load_of_wheel", "the load of a wheel", "o->wheels", "0", "o->loaded - 1"),
        Int("kept_still", "the number of coordinates that are held while wheels travel", "0", "o->nf"),
        Ints("held", "a coordinate that is held while wheels travel", "o->kept_still", "0", "o->nf - 1"),
        List("track", "the number of discs on the floor", TRACK, "tracks"),
        Int("designs", "the number of design parameters", "0", "KT_MOST_DESIGNS"),
        List("design", "a design parameter", DESIGN, "o->designs", fixed=True),
        List("design_number", "the number of numbers", DESIGN_NUMBER, "design_numbers"),
        flag("estimates", "whether errors are estimated"),
        Int("functions", "the functions of axes", "0", "1 << 12"),
        Ints("function", "a function of an axis", "o->functions * o->nf", "0", "KT_MOST_FUNCTION"),
        Reals("spline_error", "the error of splines", "3"),
        Reals("spline_slope", "the error of splines", "3 * o->ns"),
        List("error_rows", "the number of remainders", ERROR_ROWS, "error_parts"),
        List("chart", "a chart", CHART, "o->charts", fixed=True),
        List("contact", "the number of contacts", CONTACT, "contacts"),
    ),
    (
        "int most_rows, most_grids, most_products, bends, kept, has_slopes, leaving, departing; /* found on reading */",
        "const struct Bend { int measure; double lap; const Law *law; } *bend; /* laws that are not linear */",
        "const double *far; /* (nz) where matrices of a midpoint rule do not serve any more, see midpoint.py */",
        "size_t weights; /* numbers that the weights of all blocks of a chart take at most */",
        "size_t most_columns; /* of all blocks of a chart */",
        "int load_rows, acceleration_rows; /* of a load, of the acceleration of a marker */",
        "int connections, most_active, most_rows_of_slopes; /* of all devices; of the one that has most */",
        "const struct Tie { int measure; double lap; int s, sdot, force; } *tie; /* (connections) places of values */",
        "const struct Held { int x, rate; } *held_at; /* (states) the same */",
        "const int *input_at; /* the same of their inputs */",
        "const struct Move *move; /* of all devices, */",
        "const struct Move *move_end",
        "const Curve *const *curve_of; /* and the tables that they read */",
        "int device_values; /* numbers of all devices; the first one is zero */",
        "int pressing; /* loads that devices read */",
        "size_t device_slopes; /* the same of slopes of forces and rates */",
        "double *fold; /* memory of designs.c */",
    ),
)


def records(top: Record = MODEL) -> Iterator[Record]:
    """All records below one, each after those that it holds."""
    for item in top.fields:
        if isinstance(item, List):
            yield from records(item.of)
    yield top
