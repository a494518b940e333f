"""What an import tells: what it took, what it did not take, what it assumed."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Notes:
    """Sentences without their first capital and their full stop, in the order in which they were found."""

    taken: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """All of them, each with what kind it is."""
        kinds = {"taken": self.taken, "not taken": self.left_out, "assumed": self.assumed}
        return [f"{kind}: {text}" for kind, texts in kinds.items() for text in texts]
