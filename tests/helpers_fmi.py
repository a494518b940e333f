"""FMUs of both kinds by their C functions, and the kernel without FMI."""

import ctypes
import zipfile
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p, create_string_buffer
from pathlib import Path
from xml.etree import ElementTree

from fmu_src.build.compile import KERNEL, PLATFORMS, compile_c, compiler, current_platform, library

OK, WARNING, DISCARD, ERROR = range(4)
CO_SIMULATION = 1
LAST_TIME, TERMINATED = 2, 3

LOGGER = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p, c_char_p)  # one argument for %s
ALLOCATE = ctypes.CFUNCTYPE(c_void_p, c_size_t, c_size_t)
FREE = ctypes.CFUNCTYPE(None, c_void_p)


class Callbacks(ctypes.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", ALLOCATE), ("free", FREE), ("finished", c_void_p), ("env", c_void_p)]


def reals(*values):
    return (c_double * len(values))(*values)


def references(*values):
    return (c_uint * len(values))(*values)


class Unpacked:
    """An FMU in a folder."""

    def __init__(self, path, folder):
        self.folder = Path(folder)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(self.folder)
        root = ElementTree.parse(self.folder / "modelDescription.xml").getroot()
        self.guid = root.get("guid")
        identifier = root.find("CoSimulation").get("modelIdentifier")
        name = current_platform()
        self.binary = self.folder / "binaries" / name / f"{identifier}{PLATFORMS[name].suffix}"
        self.uri = (self.folder / "resources").as_uri()
        self.references = {v.get("name"): int(v.get("valueReference")) for v in root.iter("ScalarVariable")}
        self.outputs = [
            int(v.get("valueReference")) for v in root.iter("ScalarVariable") if v.get("causality") == "output"
        ]
        self.roles = [(v.get("causality"), v.get("variability")) for v in root.iter("ScalarVariable")]


class Component:
    """An instance of an unpacked FMU; `log` holds its messages, `blocks` the host's memory that it holds."""

    def __init__(self, fmu, guid=None, uri=None, kind=CO_SIMULATION, name=b"axle"):
        self.fmu = fmu
        self.library = ctypes.CDLL(str(fmu.binary))
        self.log, self.blocks = [], {}
        self.callbacks = Callbacks(LOGGER(self._logged), ALLOCATE(self._allocate), FREE(self._free), None, None)
        create = self.library.fmi2Instantiate
        create.restype = c_void_p
        create.argtypes = [c_char_p, c_int, c_char_p, c_char_p, POINTER(Callbacks), c_int, c_int]
        uri = fmu.uri if uri is None else uri
        guid = fmu.guid if guid is None else guid
        self.component = create(name, kind, guid.encode(), uri.encode(), byref(self.callbacks), 0, 0)

    def _logged(self, _, name, status, category, message, argument):
        text = message if message != b"%s" else argument
        self.log.append((name.decode(), status, category.decode(), text.decode()))

    def _allocate(self, count, size):
        block = create_string_buffer(max(count * size, 1))
        self.blocks[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def _free(self, address):
        del self.blocks[address]

    def call(self, name, *arguments):
        """Status of a function; floats are passed as double."""
        function = getattr(self.library, f"fmi2{name}")
        wrapped = [c_double(a) if isinstance(a, float) else a for a in arguments]
        return function(c_void_p(self.component), *wrapped)

    def initialize(self):
        assert self.call("SetupExperiment", 0, 0.0, 0.0, 0, 0.0) == OK
        status = self.call("EnterInitializationMode")
        assert status == OK or (status == WARNING and "NumPy" in self.log[-1][3])
        assert self.call("ExitInitializationMode") == OK
        return self

    def get(self, *wanted):
        """Values by name or value reference."""
        vrs = [self.fmu.references.get(w, w) for w in wanted]
        values = reals(*vrs)
        assert self.call("GetReal", references(*vrs), c_size_t(len(vrs)), values) == OK, self.log
        return list(values)

    def set(self, name, value):
        vr = self.fmu.references[name]
        return self.call("SetReal", references(vr), c_size_t(1), reals(value))

    def step(self, time, size):
        return self.call("DoStep", time, size, 1)

    def save(self, state=None):
        state = c_void_p() if state is None else state
        assert self.call("GetFMUstate", byref(state)) == OK
        return state

    def to_bytes(self, state):
        size = c_size_t()
        assert self.call("SerializedFMUstateSize", state, byref(size)) == OK
        block = create_string_buffer(size.value)
        assert self.call("SerializeFMUstate", state, block, size) == OK
        return block.raw

    def from_bytes(self, block):
        state = c_void_p()
        assert self.call("DeSerializeFMUstate", block, c_size_t(len(block)), byref(state)) == OK
        return state

    def free(self):
        self.library.fmi2FreeInstance(c_void_p(self.component))
        self.component = None


class Kernel:
    """An instance of the kernel itself: the one for any model, or that of a library."""

    def __init__(self, path, binary=None):
        self.library = ctypes.CDLL(str(binary or library()))
        self.library.kt_open.restype = c_void_p
        for name in ("kt_message", "kt_guid"):
            getattr(self.library, name).restype = c_char_p
        message = create_string_buffer(1000)
        self.instance = c_void_p(self.library.kt_open(str(path).encode(), message, c_size_t(1000)))
        assert self.instance, message.value

    def call(self, name, *arguments):
        status = getattr(self.library, f"kt_{name}")(self.instance, *arguments)
        assert status == OK, self.library.kt_message(self.instance)

    def start(self):
        self.call("setup", c_double(0.0))
        self.call("enter_initialization")
        self.call("exit_initialization")
        return self

    def get(self, vrs):
        values = reals(*vrs)
        self.call("get", references(*vrs), c_size_t(len(vrs)), values)
        return list(values)

    def set(self, vrs, values):
        self.call("set", references(*vrs), c_size_t(len(vrs)), reals(*values))

    def step(self, time, size):
        self.call("step", c_double(time), c_double(size))

    def free(self):
        self.library.kt_free(self.instance)


def c_host(folder, name="host", more=()):
    """The small C host or another program beside it, compiled."""
    source = Path(__file__).parent / "host" / f"{name}.c"
    flags = ("-O2", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *more, f"-I{KERNEL}")
    return compile_c(compiler(current_platform()), [source], folder / name, flags, ("-ldl",))
