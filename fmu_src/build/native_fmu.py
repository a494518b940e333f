"""Build an FMU that needs no Python: the C kernel with the model file as its resource.

    binaries/<platform>/<identifier>.so   the kernel for the shape of the model
    resources/model.kinetab               the model file, as in the Python FMU
    sources/                              the kernel's C files, with the header of that shape, and how to build them
    modelDescription.xml                  the Python FMU's variables with the same value references

Its GUID is that of the model file, which the kernel compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ..interface.description_xml import complete, guid_text, model_identifier
from ..interface.variable import Variable
from ..interface.variables import variables
from ..model.model_file import KERNEL, PRELUDE, padding
from ..model.reduced_model import ReducedModel
from ..slave.runtimes import MODEL_FILE
from .archive import pack
from .compile import FLAGS, PLATFORMS, compiler_version, current_platform, kernel_files, libraries
from .documentation import documentation
from .kernel_shape import shape_header
from .model_writer import to_bytes
from .pages.about import NOTHING, About
from .python_fmu import write_fmu

CAPABILITIES = {
    "canInterpolateInputs": "true",
    "maxOutputDerivativeOrder": "0",
    "canRunAsynchronuously": "false",  # as the standard spells it
    "canBeInstantiatedOnlyOncePerProcess": "false",
    "canNotUseMemoryManagementFunctions": "false",
    "providesDirectionalDerivative": "true",
}
"""Beyond those of both FMUs."""


def build_native_fmu(
    model: ReducedModel,
    path: str | Path,
    platforms: Iterable[str] | None = None,
    sources: bool = True,
    about: About = NOTHING,
) -> Path:
    """Build a native FMU at exactly `path`; a file that is there is replaced only when the new one is complete.

    Args:
        model: the model.
        path: where to; its folder must exist.
        platforms: names of `compile.PLATFORMS`; None is this one.
        sources: let it carry the kernel's C files.
        about: what is known of the mechanism, for the documentation.

    Raises:
        TableFormatError: the model is not valid.
        BuildError: a name is not legal in FMI, the kernel cannot be compiled, or the file cannot be written.
    """
    data, table = to_bytes(model), variables(model)
    names = list(dict.fromkeys(platforms)) if platforms is not None else [current_platform()]
    shape = shape_header(model)
    own = kernel_files(shape) if sources else {}
    code = [name for name in own if name.endswith(".c")]
    identifier = model_identifier(model.name)
    kernel = {
        f"binaries/{name}/{identifier}{PLATFORMS[name].suffix}": library
        for name, library in libraries(names, shape).items()
    }
    if sources:
        kernel |= {f"sources/{name}": content for name, content in own.items()}
        kernel["sources/buildDescription.xml"] = _xml(build_description(identifier, code))
    files = {
        "modelDescription.xml": _xml(native_description(model, table, model_guid(data), code)),
        f"resources/{MODEL_FILE}": data,
        **kernel,
    }
    runs = f"without Python on {', '.join(names)}"
    files |= documentation(model, table, runs, about, files, {"kinetab": kernel}, map(compiler_version, names))
    return write_fmu(Path(path), pack(files))


def model_guid(data: bytes) -> str:
    """The GUID that the kernel accepts for a model file; it is the first text of the kernel's plan."""
    head = PRELUDE.size + KERNEL.size + PRELUDE.unpack_from(data)[2]
    place, _, _ = KERNEL.unpack_from(data, PRELUDE.size)
    at = head + padding(head) + place + 2 * 8  # after the version and its length
    return guid_text(data[at : at + 32].decode())


def native_description(model: ReducedModel, table: Sequence[Variable], guid: str, code: Sequence[str]) -> Element:
    """The model description.

    Args:
        model: the model.
        table: its variables.
        guid: identity of the model file.
        code: names of the C files in sources/.
    """
    root = Element("fmiModelDescription", fmiVersion="2.0", variableNamingConvention="structured")
    root.set("description", model.description)
    simulation = SubElement(root, "CoSimulation", CAPABILITIES, modelIdentifier=model_identifier(model.name))
    if code:
        files = SubElement(simulation, "SourceFiles")
        for name in code:
            SubElement(files, "File", name=name)
    times = {"startTime": 0.0, "stopTime": model.stop_time, "stepSize": model.step_size}
    SubElement(root, "DefaultExperiment", {name: repr(float(value)) for name, value in times.items()})
    SubElement(root, "ModelVariables")
    SubElement(root, "ModelStructure")
    return complete(root, model, table, guid)


def build_description(identifier: str, code: Sequence[str]) -> Element:
    """How to build the binary from sources/, in the form of FMI 3.0, since FMI 2.0 has none."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    target = SubElement(root, "BuildConfiguration", modelIdentifier=identifier)
    target.set(
        "description",
        "C99 and the mathematical library, nothing else; sizes.h makes it this model's.  For static linking "
        "compile all files with FMI2_FUNCTION_PREFIX, which then is part of all names.",
    )
    files = SubElement(target, "SourceFileSet", language="C99", compilerOptions=" ".join(FLAGS))
    for name in code:
        SubElement(files, "SourceFile", name=name)
    SubElement(files, "PreprocessorDefinition", name="KT_SHARED", optional="true").set(
        "description", "Makes the kernel's own functions visible in a shared library too."
    )
    SubElement(target, "Library", name="m", description="Where it is apart from the C library: -lm")
    return root


def _xml(root: Element) -> bytes:
    indent(root, "\t")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="utf-8") + b"\n"
