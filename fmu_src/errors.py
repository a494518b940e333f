"""Exceptions of the run-time half.  Every message names the object, the numbers and a next step."""


class FmuError(Exception):
    """Base of all errors of the run-time and the builder."""

    def __repr__(self) -> str:
        """What pythonfmu shows of an error that it cannot hand to the host otherwise."""
        return str(self)


class TableFormatError(FmuError):
    """A model file is damaged, foreign or of another version."""


class TableRangeError(FmuError):
    """A coordinate has left its table; which, and where it was, is known where that is found out."""

    def __init__(self, text: str, coordinate: str = "", value: float = 0.0) -> None:
        super().__init__(text)
        self.coordinate = coordinate
        self.value = value


class StepError(FmuError):
    """A step cannot be taken: bad input, bad parameter, bad step size, or the motion diverged."""

    def __init__(self, text: str, without_inertia: tuple[str, float] | None = None) -> None:
        super().__init__(text)
        self.without_inertia = without_inertia  # a coordinate, and what it has


class BuildError(FmuError):
    """The FMU cannot be written."""


class PlaceError(BuildError):
    """A folder or file cannot be written to, for which no FMU is to blame and no compiler."""
