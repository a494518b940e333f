"""What all measures between two bodies share, which a distance, a height, an angle and a cosine are."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, fields

from precompute.measures.interfaces import Images, Kind, Parts
from precompute.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class Between(Measure, ABC):
    """A measure of places of one body and places of another."""

    body_a: str
    body_b: str

    def __post_init__(self) -> None:
        if self.body_a == self.body_b:
            raise ValueError(f"both ends are on body '{self.body_a}'")

    @property
    def refers(self) -> tuple[tuple[Kind, str], ...]:
        """Both bodies."""
        return ("body", self.body_a), ("body", self.body_b)

    def bodies(self, parts: Parts) -> tuple[str, ...]:
        """Both bodies."""
        return self.body_a, self.body_b

    def same(self, other: Measure) -> bool:
        """Whether the other is of the same bodies in the same order, and of the same places."""
        if type(other) is not type(self) or (self.body_a, self.body_b) != (other.body_a, other.body_b):
            return False
        places = (place.name for place in fields(self)[2:])
        return all(bool((getattr(self, name) == getattr(other, name)).all()) for name in places)

    def there(self, images: Images) -> tuple[str, str]:
        """What both bodies are called in a mechanism that is placed elsewhere."""
        return images.name("body", self.body_a), images.name("body", self.body_b)
