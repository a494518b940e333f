"""Constraint rows as one system Phi(x) = 0, quadratic in all coordinates x but for functions of single ones.

    Phi_k(x) = sum_ij c_kij x_i x_j + sum_i l_ki x_i + d_k + sum_i f_ki(x_i)                         (1)
    Phi_x(x) = the Jacobian, linear in x without functions                                            (2)
    H(a, b)  = d(Phi_x a)/dx b, a symmetric bilinear form that does not depend on x, without functions (3)
    F_k(x, v) = sum_i f_ki^(n)(x_i) v_i, for the derivatives of order n of these                      (4)

Unknown coordinates and given ones (cosine and sine of a driven angle, a driven distance) are both columns of x: what is
given may change, the rows do not.  All functions take x of any leading shape (..., nx), and complex numbers too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from precompute.arrays import Array, frozen_array
from precompute.natural.rows import Bent, Row


@dataclass(frozen=True, eq=False)
class QuadraticSystem:
    """Rows Phi(x) = 0.

    Attributes:
        labels: (m,) whose row it is.
        nx: the number of columns.
        products: (nt, 3) row and two columns of each product.
        product_factors: (nt,) c.
        linear: csr (m, nx), l.
        constant: (m,) d.
        bent: rows with a function f each.
    """

    labels: tuple[str, ...]
    nx: int
    products: Any
    product_factors: Array
    linear: Any
    constant: Array
    bent: tuple[tuple[int, Bent], ...] = ()

    @cached_property
    def _sum_products(self) -> Any:
        """Csr (m, nt): sums products into rows."""
        row, nt = self.products[:, 0], len(self.products)
        return csr_array((self.product_factors, (row, np.arange(nt))), shape=(len(self.labels), nt))

    @cached_property
    def _entries(self) -> tuple[Any, Any, Any, Array]:
        """Rows and columns of the Jacobian's entries that may differ from zero, and each as an affine function of x."""
        row, i, j = self.products.T
        c = self.product_factors
        lin = self.linear.tocoo()
        where = np.concatenate([row * self.nx + i, row * self.nx + j, lin.row * np.int64(self.nx) + lin.col])
        places, index = np.unique(where, return_inverse=True)
        slope = csr_array(
            (np.concatenate([c, c]), (index[: 2 * len(c)], np.concatenate([j, i]))), shape=(len(places), self.nx)
        )
        level = np.zeros(len(places))
        np.add.at(level, index[2 * len(c) :], lin.data)
        return places // self.nx, places % self.nx, slope, level

    def value(self, x: Array) -> Array:
        """(..., m) Phi(x), (1)."""
        flat = x.reshape(-1, self.nx)
        _, i, j = self.products.T
        phi = (self._sum_products @ (flat[:, i] * flat[:, j]).T + self.linear @ flat.T).T + self.constant
        return self._with_functions(phi, flat, 0).reshape(*x.shape[:-1], -1)

    def jacobian(self, x: Array) -> Array:
        """(..., m, nx) Phi_x(x), (2)."""
        flat = x.reshape(-1, self.nx)
        row, column, slope, level = self._entries
        full = np.zeros((len(flat), len(self.labels), self.nx), dtype=flat.dtype)
        full[:, row, column] = (slope @ flat.T).T + level
        for k, bent in self.bent:
            full[:, k, bent.column] += bent.function(flat[:, bent.column], 1)
        return full.reshape(*x.shape[:-1], len(self.labels), self.nx)

    def second(self, a: Array, b: Array) -> Array:
        """(..., m) H(a, b), (3), of a and b (..., nx)."""
        shape = np.broadcast_shapes(a.shape, b.shape)
        p, q = (np.broadcast_to(v, shape).reshape(-1, self.nx) for v in (a, b))
        _, i, j = self.products.T
        return (self._sum_products @ (p[:, i] * q[:, j] + p[:, j] * q[:, i]).T).T.reshape(*shape[:-1], -1)

    def bends(self, x: Array, order: int, v: Array) -> Array:
        """(..., m) F of an order, (4), at x and v (..., nx)."""
        flat, by = x.reshape(-1, self.nx), v.reshape(-1, self.nx)
        return self._with_functions(np.zeros((len(flat), len(self.labels))), flat, order, by).reshape(*x.shape[:-1], -1)

    def _with_functions(self, phi: Array, x: Array, order: int, v: Array | None = None) -> Array:
        """Rows (n, m) with the functions of x (n, nx) added, times v if there is one."""
        for k, bent in self.bent:
            own = bent.function(x[:, bent.column], order)
            phi[:, k] += own if v is None else own * v[:, bent.column]
        return phi

    def normalised(self, sizes: Array) -> QuadraticSystem:
        """The same rows, each divided by the largest gradient that coordinates of such sizes (nx,) can give it.

        A gradient at one place will not do: that of a row of a cross product may vanish there.
        """
        bound = np.zeros((len(self.labels), self.nx))
        row, column, slope, level = self._entries
        bound[row, column] = abs(slope) @ np.abs(sizes) + np.abs(level)
        for k, _ in self.bent:
            bound[k] = 0.0  # as they are: nobody knows how steep functions get, and theirs are of the size of columns
        norms = np.linalg.norm(bound, axis=1)
        scale = 1.0 / np.where(norms > 0.0, norms, 1.0)
        return replace(
            self,
            product_factors=self.product_factors * scale[self.products[:, 0]],
            linear=csr_array(self.linear.multiply(scale[:, None])),
            constant=self.constant * scale,
        )


def quadratic_system(rows: Sequence[Row], nx: int) -> QuadraticSystem:
    """Rows over columns 0 to nx - 1 as one system."""
    products: list[tuple[int, int, int]] = []
    factors: list[float] = []
    linear = np.zeros((len(rows), nx))
    constant = np.zeros(len(rows))
    for k, row in enumerate(rows):
        for columns, value in row.polynomial.terms.items():
            if len(columns) == 2:
                products.append((k, *columns))
                factors.append(value)
            elif columns:
                linear[k, columns[0]] = value
            else:
                constant[k] = value
    return QuadraticSystem(
        labels=tuple(row.label for row in rows),
        nx=nx,
        products=np.array(products, dtype=np.int64).reshape(-1, 3),
        product_factors=frozen_array(factors),
        linear=csr_array(linear),
        constant=frozen_array(constant),
        bent=tuple((k, bent) for k, row in enumerate(rows) for bent in row.bent),
    )
