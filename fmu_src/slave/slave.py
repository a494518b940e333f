"""The FMU's face to pythonfmu: glue only.  `runtimes` chooses what does the work, `guard` handles the errors.

The builder copies the package into each FMU under a name made from its content, and writes a module with a subclass,
under another: two FMUs in one process then never share code or data that differ.  That module is small because
pythonfmu runs it again for each instance and never lets go of what it defines.  Where the FMU runs nothing but the
standard library and pythonfmu is imported, unless the compiled kernel cannot be loaded.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element

from pythonfmu.default_experiment import DefaultExperiment
from pythonfmu.enums import Fmi2Status
from pythonfmu.fmi2slave import Fmi2Slave

from ..errors import FmuError, StepError
from .guard import describe, format_safe, guarded, hold, leave_path, tell_python
from .kernel_library import platform_name
from .runtimes import MODEL_FILE, Choice, choose

if TYPE_CHECKING:
    from ..model.reduced_model import ReducedModel


class MechanismSlave(Fmi2Slave):
    """A reduced model as an FMI 2.0 co-simulation slave."""

    kernels = ""  # folder of the compiled kernels
    fronts = ""  # platforms on which our front stands before pythonfmu and hands all messages to the host
    loaded: tuple[str, Choice] | None = None  # of the last instance, so that a reset reads no file
    noted = ""  # the resources whose run-time has been spoken of

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if "logger" in kwargs:  # made by pythonfmu's library in a host, not by its builder, which tidies up itself
            leave_path(self.resources)
        cls = type(self)
        try:
            known = cls.loaded is not None and cls.loaded[0] == self.resources
            choice = cls.loaded[1] if cls.loaded and known else choose(self.resources, cls.kernels)
            self.instance = choice.create()
        except Exception as error:
            self._tell_python(logging.ERROR, describe(error))
            raise FmuError(format_safe(describe(error))) from None
        cls.loaded = (self.resources, choice)
        self.note = choice.note if cls.noted != self.resources else None

    def _say_note(self) -> None:
        """Once per FMU: why it is not the kernel that runs."""
        type(self).noted = self.resources
        self.warn(self.note)
        self.note = None

    def fail(self, error: BaseException) -> Exception:
        """Log an error and return what is to be raised."""
        text = describe(error)
        self._tell_python(logging.ERROR, text)
        self.log(format_safe(text), Fmi2Status.error)
        hold(self, self.log_queue, type(self))
        return (type(error) if isinstance(error, FmuError) else FmuError)(format_safe(text))

    def warn(self, text: str | None) -> None:
        """Log a warning, if there is one."""
        if text is not None:
            self._tell_python(logging.WARNING, text)
            self.log(format_safe(text), Fmi2Status.warning)

    def _tell_python(self, level: int, text: str) -> None:
        """Where the host may be deaf."""
        if platform_name() not in self.fronts.split():
            tell_python(level, self.instance_name, text)

    @guarded
    def get_real(self, vrs: list[int]) -> list[float]:
        """fmi2GetReal."""
        return self.instance.get(vrs)

    @guarded
    def set_real(self, vrs: list[int], values: list[float]) -> None:
        """fmi2SetReal."""
        self.instance.set(vrs, values)

    @guarded
    def setup_experiment(self, start_time: float, stop_time: float | None, tolerance: float | None) -> None:
        """fmi2SetupExperiment."""
        self.instance.setup(start_time)

    @guarded
    def enter_initialization_mode(self) -> None:
        """fmi2EnterInitializationMode."""
        self._say_note()
        self.instance.enter_initialization()

    @guarded
    def exit_initialization_mode(self) -> None:
        """fmi2ExitInitializationMode."""
        self.warn(self.instance.exit_initialization())

    @guarded
    def do_step(self, current_time: float, step_size: float) -> bool:
        """fmi2DoStep."""
        self.warn(self.instance.step(current_time, step_size))
        return True

    @guarded
    def terminate(self) -> None:
        """fmi2Terminate."""
        self.instance.terminate()

    @guarded
    def _no_such_type(self, vrs: list[int], values: list[Any] | None = None) -> list[Any]:
        if vrs:
            raise StepError(f"variable {vrs[0]} is used with another type, but all variables are of type Real")
        return []

    get_integer = get_boolean = get_string = set_integer = set_boolean = set_string = _no_such_type

    @guarded
    def _get_fmu_state(self) -> bytes:
        return self.instance.save()

    @guarded
    def _set_fmu_state(self, state: bytes) -> None:
        self.instance.restore(state)

    @staticmethod
    def _fmu_state_to_bytes(state: bytes) -> bytes:
        return state

    @staticmethod
    def _fmu_state_from_bytes(state: bytes) -> bytes:
        return state

    # --- where the FMU is built ---------------------------------------------------------------------------------------

    @property
    def modelName(self) -> str:
        """Identifier of the FMU."""
        from ..interface.description_xml import model_identifier

        return model_identifier(self._model().name)

    @modelName.setter
    def modelName(self, name: str) -> None:
        """pythonfmu sets the name of the class, which is not that of the model."""

    def _model(self) -> ReducedModel:
        from ..model.model_file import load

        return load(Path(self.resources) / MODEL_FILE)

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """The model description."""
        from ..interface.description_xml import complete, content_guid
        from ..interface.variables import variables

        model = self._model()
        self.description = model.description
        self.default_experiment = DefaultExperiment(0.0, model.stop_time, model.step_size)
        root = super().to_xml(model_options or {})
        return complete(root, model, variables(model), content_guid(self.resources))
