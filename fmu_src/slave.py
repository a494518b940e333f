"""The FMU's face to pythonfmu: glue only.  `instance.Instance` does the work, `guard` the errors.

The builder copies this file into each FMU under a name of its own and the package under another, both made from their
content: two FMUs in one process then never share code or data that differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from pythonfmu.default_experiment import DefaultExperiment
from pythonfmu.enums import Fmi2Status
from pythonfmu.fmi2slave import Fmi2Slave

from fmu_src.errors import FmuError, StepError
from fmu_src.guard import caution, describe, format_safe, guarded, hold, report

try:
    from fmu_src.description_xml import complete, content_guid, model_identifier
    from fmu_src.dynamics import Runtime, prepare
    from fmu_src.instance import Instance
    from fmu_src.model_file import load
except ImportError as missing:
    report(__name__, FmuError(f"{missing}; install NumPy in the Python that runs this FMU"))
    raise

MODEL_FILE = "model.kinetab"


class MechanismSlave(Fmi2Slave):
    """A reduced model as an FMI 2.0 co-simulation slave."""

    loaded: tuple[str, tuple[Runtime, ...]] | None = None  # of the last instance, so that a reset reads no file

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        hold(globals())
        try:
            self.instance = Instance(self._charts())
        except Exception as error:
            report(self.instance_name, error)
            raise FmuError(format_safe(describe(error))) from None
        model = self.instance.model
        self.modelName = model_identifier(model.name)
        self.description = model.description
        self.default_experiment = DefaultExperiment(0.0, model.stop_time, model.step_size)

    def _charts(self) -> tuple[Runtime, ...]:
        cls = type(self)
        if cls.loaded is None or cls.loaded[0] != self.resources:
            cls.loaded = (self.resources, prepare(load(Path(self.resources) / MODEL_FILE)))
        return cls.loaded[1]

    def fail(self, error: Exception) -> Exception:
        """Log an error and return what is to be raised."""
        message = format_safe(report(self.instance_name, error))
        self.log(message, Fmi2Status.error)
        hold(self, self.log_queue, type(self))
        return (type(error) if isinstance(error, FmuError) else FmuError)(message)

    def warn(self, text: str | None) -> None:
        """Log a warning, if there is one."""
        if text is not None:
            self.log(format_safe(caution(self.instance_name, text)), Fmi2Status.warning)

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

    def to_xml(self, model_options: dict[str, str] | None = None) -> Element:
        """The model description; used when the FMU is built."""
        root = super().to_xml(model_options or {})
        return complete(root, self.instance.model, self.instance.variables, content_guid(self.resources))
