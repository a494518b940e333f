"""Fields of loads: what is computed by itself is what is computed with all others."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import MECHANISMS
from helpers_loads import Exact, watched

from precompute.mechanism_file import load
from precompute.tables.field_data import Asked, evaluate_fields


@pytest.mark.parametrize("stiff_too", [False, True])
def test_products_of_rates_by_themselves(stiff_too):
    """They are what differences along deflections are taken of, so they have a shorter way."""
    exact = Exact(watched(replace(load(MECHANISMS / "macpherson.toml"), chassis="moving")))
    fields, closure = exact.loads.fields, exact.coordinates.full
    q = exact.configurations(np.array([[0.01, 0.02, *[1e-3] * 8], [-0.02, 0.03, *[-5e-4] * 8]]))
    every = frozenset(number for number, field in enumerate(fields.items) if field.request)
    products = {n for load in fields.loads for g in load.groups for n in (*g.C, *g.D, *g.I) if n >= 0}
    products |= {n for own in fields.accelerations for part in own.C for n in part}
    some = frozenset(n for n in products if stiff_too or fields.items[n].order == 1)
    assert len(some) > 100
    ours, theirs = (evaluate_fields(closure, fields, q, Asked(own, frozenset(), ())).value for own in (some, every))
    numbers = sorted(some)
    np.testing.assert_allclose(ours[:, numbers], theirs[:, numbers], rtol=1e-12, atol=1e-13)
