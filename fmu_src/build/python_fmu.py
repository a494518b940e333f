"""Build an FMU from a reduced model, with pythonfmu.

Inside the FMU, under resources/:

    kinetab_<model>_<hash>.py     the slave, a subclass of that in the run-time; the hash is of everything below
    kinetab_runtime_<hash>/       the run-time modules of this package; the hash is of their sources
    kinetab_kernel_<hash>/        the compiled kernel, in a folder per platform; the hash is of their content
    model.kinetab                 the model file
    guid.txt                      the FMU's identity, which the front compares
    pythonfmu.so                  pythonfmu's library for Linux
    pythonfmu/                    added by pythonfmu

The binary for Linux is our front (front/), which starts Python where the host has none and calls pythonfmu's library.

Python shares modules by name within a process, so names made from content keep FMUs of different content apart.  The
kernel does the work; the run-time modules do where it cannot be loaded.
"""

from __future__ import annotations

import hashlib
import logging
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import fromstring

from pythonfmu.builder import FmuBuilder

from ..errors import BuildError, FmuError, PlaceError
from ..files import reason, work_folder, write_whole
from ..interface.description_xml import model_identifier
from ..interface.variables import variables
from ..model.reduced_model import ReducedModel
from ..slave.guard import LOGGER
from ..slave.kernel_library import library_name
from ..slave.runtimes import MODEL_FILE
from .archive import pack
from .compile import FRONT_PLATFORM, check_compiler, compiler_version, current_platform, front, libraries
from .compiling import ELSEWHERE
from .documentation import documentation
from .kernel_shape import shape_header
from .model_writer import to_bytes
from .pages.about import NOTHING, About

SLAVE = '''"""The slave of this FMU: the run-time with what is its own."""

from {package}.slave.guard import hold
from {package}.slave.slave import MechanismSlave

hold(globals())  # pythonfmu releases them each time it has run this, without owning them


class Slave(MechanismSlave):
    """As pythonfmu wants it: defined in the module that it is told of."""

    kernels = "{kernels}"
    fronts = "{fronts}"
'''

RUNTIME = ("__init__.py", "errors.py", "interface/", "model/", "numpy_runtime/", "slave/")
"""What the slave needs with or without the kernel, and no more: modules and whole packages of `fmu_src`."""


def build_fmu(
    model: ReducedModel, path: str | Path, platforms: Iterable[str] | None = None, about: About = NOTHING
) -> Path:
    """Build an FMU at exactly `path`; a file that is there is replaced only when the new one is complete.

    Args:
        model: the model.
        path: where to; its folder must exist.
        platforms: names of `compile.PLATFORMS` to compile the kernel for; an FMU without any runs in NumPy.  None is
            this one, if it can be compiled.
        about: what is known of the mechanism, for the documentation.

    Raises:
        TableFormatError: the model is not valid.
        BuildError: a name is not legal in FMI, the kernel cannot be compiled, or the file cannot be written.
    """
    path = Path(path)
    data = to_bytes(model)
    if platforms is None:
        platforms, note = own_platform()
        if note:
            logging.getLogger(LOGGER).warning("%s", note)
    kernels = libraries(platforms, shape_header(model))
    binaries = {library_name(name): library for name, library in sorted(kernels.items())}
    face = _front()
    constants = {"kernels": _kernel_folder(binaries), "fronts": FRONT_PLATFORM if face else ""}
    files = _by_pythonfmu(model_identifier(model.name), data, constants)
    files |= {f"resources/{_kernel_folder(binaries)}/{name}": library for name, library in binaries.items()}
    if face:
        files = _with_front(files, face)
    made_for = [*kernels, *([FRONT_PLATFORM] if face else [])]
    files |= documentation(
        model,
        variables(model),
        _runs(kernels, bool(face)),
        about,
        files,
        _parts(files, bool(face)),
        map(compiler_version, made_for),
    )
    return write_fmu(path, pack(files))


def _by_pythonfmu(identifier: str, data: bytes, constants: Mapping[str, str]) -> dict[str, bytes]:
    """The files of the FMU that pythonfmu makes; see `_stage`."""
    try:
        with work_folder() as folder:
            script, parts = _stage(folder / "resources", identifier, data, constants)
            with _own_modules(script), _own_temporary(folder):
                return _files(_run_pythonfmu(script, folder / "raw.fmu", parts))
    except OSError as error:
        place = error.filename or tempfile.gettempdir()
        raise PlaceError(f"cannot build the FMU in '{place}': {reason(error, ELSEWHERE)}") from None


def own_platform() -> tuple[list[str], str]:
    """This platform; or none and a note that says why, if nothing can be compiled for it."""
    try:
        check_compiler(current_platform())
    except PlaceError:
        raise
    except BuildError as error:
        return [], (
            f"{error}\nThe FMU is built without the compiled kernel and runs in NumPy, which is slower; on Linux it "
            "runs only in hosts that have loaded Python."
        )
    return [current_platform()], ""


def _front() -> bytes:
    """The front for Linux; empty if it cannot be compiled."""
    try:
        return front()
    except PlaceError:
        raise
    except BuildError:
        return b""


def _kernel_folder(binaries: Mapping[str, bytes]) -> str:
    """Name of the folder of the kernels; empty without any."""
    return f"kinetab_kernel_{_digest(*binaries, *binaries.values())}" if binaries else ""


def _runs(kernels: Iterable[str], front: bool) -> str:
    """Where the FMU runs, in words."""
    python = "in Python 3.11 or later"
    if front:
        python += ", which on Linux need only be the python3 on PATH"
    names = ", ".join(sorted(kernels))
    return f"{python}, compiled for {names}; elsewhere with NumPy" if names else f"{python}, with NumPy"


def _parts(files: Iterable[str], front: bool) -> dict[str, list[str]]:
    """Whose code the files are; those not named are the model's."""
    ours = [name for name in files if name.startswith("resources/kinetab_")]
    binaries = [name for name in files if name.startswith("binaries/")]
    fronts = [name for name in binaries if front and name.startswith(f"binaries/{FRONT_PLATFORM}/")]
    theirs = [name for name in files if name.startswith("resources/pythonfmu")]
    return {"kinetab": ours + fronts, "pythonfmu": theirs + [name for name in binaries if name not in fronts]}


def write_fmu(path: Path, archive: bytes) -> Path:
    """Write an FMU; a file that is there is replaced only when the new one is complete.

    Raises:
        BuildError: it cannot be written.
    """
    try:
        return write_whole(path, archive)
    except OSError as error:
        raise PlaceError(f"cannot write the FMU '{path}': {reason(error)}") from None


def _stage(folder: Path, identifier: str, data: bytes, constants: Mapping[str, str]) -> tuple[Path, list[Path]]:
    """Put the parts of the FMU into a folder.

    Args:
        folder: where to.
        identifier: of the model.
        data: the model file.
        constants: what the slave is to know, by the names of its attributes.

    Returns:
        The slave, and the other parts.
    """
    sources = runtime_sources()
    package = folder / f"kinetab_runtime_{_digest(*sources, *sources.values())}"
    for name, source in sources.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_bytes(source)
    (folder / MODEL_FILE).write_bytes(data)
    slave = SLAVE.format(package=package.name, **constants)
    script = folder / f"kinetab_{identifier.lower()}_{_digest(package.name, slave, data)}.py"
    script.write_text(slave, encoding="utf-8")
    return script, [package, folder / MODEL_FILE]


def runtime_sources() -> dict[str, bytes]:
    """The modules of the run-time by their paths in its package."""
    here = Path(__file__).parents[1]
    files = [file for name in RUNTIME for file in ((here / name).rglob("*.py") if name[-1] == "/" else [here / name])]
    return {file.relative_to(here).as_posix(): file.read_bytes() for file in sorted(files)}


def _digest(*parts: str | bytes) -> str:
    """Eight characters that stand for some content."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()[:8]


@contextmanager
def _own_modules(script: Path) -> Iterator[None]:
    """Forget afterwards what pythonfmu has imported from the staged folder, which is about to vanish."""
    path, known = list(sys.path), set(sys.modules)
    sys.path.insert(0, str(script.parent))
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if name.startswith("kinetab_"):
                del sys.modules[name]


@contextmanager
def _own_temporary(folder: Path) -> Iterator[None]:
    """Let pythonfmu put its temporary folder into ours, which is removed even if this process is killed."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def _run_pythonfmu(script: Path, target: Path, parts: list[Path]) -> Path:
    """Let pythonfmu build."""
    try:
        return Path(FmuBuilder.build_FMU(script, target, parts, needsExecutionTool=False))
    except (FmuError, OSError):
        raise
    except Exception as error:
        raise BuildError(
            f"pythonfmu could not build the FMU: {type(error).__name__}: {error}; check that pythonfmu is complete"
        ) from error


def _files(raw: Path) -> dict[str, bytes]:
    """The files of an FMU by name.

    The kernels are added only to these: a library that the builder had loaded could not be removed again on Windows.
    """
    with zipfile.ZipFile(raw) as source:
        return {name.replace("\\", "/"): source.read(name) for name in source.namelist()}


def _with_front(files: Mapping[str, bytes], face: bytes) -> dict[str, bytes]:
    """The same FMU with the front as its binary for Linux."""
    binary = next(name for name in files if name.startswith(f"binaries/{FRONT_PLATFORM}/"))
    guid = fromstring(files["modelDescription.xml"]).attrib["guid"]
    return {
        **files,
        "resources/pythonfmu.so": files[binary],
        "resources/guid.txt": "".join(c for c in guid if c not in "{}-").encode(),
        binary: face,
    }
