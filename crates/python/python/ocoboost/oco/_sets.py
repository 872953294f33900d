"""Mirror maps, decision sets, and projections."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ocoboost import _core
from ocoboost.oco._vectors import number, rows, vector, whole


class Regulariser:
    """A mirror map R: strictly convex, with an invertible gradient. See `Euclidean`, `NegativeEntropy`, `PNorm`."""

    _map: _core.Map

    def value(self, x: ArrayLike) -> float:
        """R(x); infinite beyond the range of doubles."""
        return self._map.value(vector("x", x))

    def mirror(self, x: ArrayLike) -> NDArray[np.float64]:
        """∇R(x), an array of shape (d,)."""
        return self._map.mirror(vector("x", x))

    def inverse_mirror(self, theta: ArrayLike) -> NDArray[np.float64]:
        """(∇R)⁻¹(θ), an array of shape (d,)."""
        return self._map.inverse_mirror(vector("theta", theta))

    def divergence(self, x: ArrayLike, y: ArrayLike) -> float:
        """The Bregman divergence B(x, y) = R(x) − R(y) − ⟨∇R(y), x − y⟩ ≥ 0.

        Raises
        ------
        ValueError
            For NaN, infinities, and vectors of different lengths; in the entropic geometry for negative entries.
        """
        return self._map.divergence(vector("x", x), vector("y", y))

    def __eq__(self, other):
        return type(self) is type(other) and self._map.to_bytes() == other._map.to_bytes()

    def __hash__(self):
        return hash(self._map.to_bytes())

    def __repr__(self):
        return f"{type(self).__name__}()"


class Euclidean(Regulariser):
    """R(x) = ½‖x‖₂²: ∇R is the identity and B(x, y) = ½‖x − y‖₂².

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.Euclidean().divergence([1.0, 2.0], [1.0, 0.0])
    2.0
    """

    def __init__(self) -> None:
        self._map = _core.Map.euclidean()


class NegativeEntropy(Regulariser):
    """R(x) = Σ(x log x − x) on x ≥ 0: ∇R = log, and B is the generalised Kullback–Leibler divergence.

    Examples
    --------
    >>> from ocoboost import oco
    >>> round(oco.NegativeEntropy().divergence([0.0, 1.0], [0.5, 0.5]), 6)
    0.693147
    """

    def __init__(self) -> None:
        self._map = _core.Map.negative_entropy()


class PNorm(Regulariser):
    """R(x) = ½‖x‖_p² with 1 < p ≤ 2, which is (p − 1)-strongly convex in ‖·‖_p.

    Parameters
    ----------
    p : float
        In (1, 2].

    Examples
    --------
    >>> from ocoboost import oco
    >>> p_norm = oco.PNorm(1.5)
    >>> p_norm.inverse_mirror(p_norm.mirror([3.0, -1.0])).round(12).tolist()
    [3.0, -1.0]
    """

    def __init__(self, p: float) -> None:
        self.p = number("p", p)
        self._map = _core.Map.p_norm(self.p)

    def __repr__(self):
        return f"PNorm({self.p})"


def regulariser(geometry: str | Regulariser) -> Regulariser:
    """The mirror map of a setting."""
    if isinstance(geometry, Regulariser):
        return geometry
    named = {"euclidean": Euclidean, "entropy": NegativeEntropy}
    if isinstance(geometry, str) and geometry in named:
        return named[geometry]()
    raise TypeError(f'geometry = {geometry!r} is neither "euclidean" nor "entropy" nor a mirror map')


class Set:
    """A closed convex set K of vectors. See `Simplex`, `CappedSimplex`, `Box`, `UnitBox`, `L2Ball`, `L1Ball`,
    `FlowPolytope`, `TraceNormBall`, `Spectrahedron`, `WholeSpace` and `Shrunk`.

    Every method takes a vector of shape (d,), or rows of shape (n, d), which are worked on in one call.
    """

    _set: _core.Set
    _settings: tuple[str, ...] = ()

    @property
    def dimension(self) -> int | None:
        """d of a set that has one; ``None`` for a set in any dimension."""
        return self._set.dimension

    def project(self, y: ArrayLike, geometry: str | Regulariser = "euclidean") -> NDArray[np.float64]:
        """argmin over x ∈ K of the divergence B(x, y): the nearest point, for the Euclidean geometry.

        Parameters
        ----------
        y : array of shape (d,) or (n, d)
        geometry : {"euclidean", "entropy"} or a mirror map
            The entropy is that of simplices, capped simplices and the unit box.

        Returns
        -------
        array of the shape of y

        Raises
        ------
        ValueError
            For NaN, infinities, another dimension, and a geometry that the set has not.
        """
        return self._project("y", y, geometry)

    def _project(self, name, y, geometry):
        """The projection of what the caller calls so."""
        given, own = rows(name, y), regulariser(geometry)._map
        native = self._set.project if given.ndim == 1 else self._set.project_rows
        return native(given, own, name)

    def contains(self, x: ArrayLike, tolerance: float = 1e-9) -> bool | NDArray[np.bool_]:
        """Whether x satisfies every constraint within an absolute slack; false for NaN and another dimension.

        Returns
        -------
        bool, or array of bool of shape (n,)
        """
        given, tolerance = rows("x", x), number("tolerance", tolerance)
        if not tolerance >= 0:
            raise ValueError(f"tolerance = {tolerance} is not ≥ 0")
        return self._set.contains(given, tolerance) if given.ndim == 1 else self._set.contains_rows(given, tolerance)

    def __contains__(self, x):
        return self.contains(vector("x", x))

    def lmo(self, gradient: ArrayLike) -> NDArray[np.float64]:
        """argmin over x ∈ K of ⟨g, x⟩, a vertex where K has one: the linear minimisation oracle.

        Parameters
        ----------
        gradient : array of shape (d,) or (n, d)

        Returns
        -------
        array of the shape of gradient

        Raises
        ------
        ValueError
            For NaN, infinities, another dimension, and the whole space.
        """
        g = rows("gradient", gradient)
        return self._set.lmo(g) if g.ndim == 1 else self._set.lmo_rows(g)

    def lmo_accuracy(self, gradient: ArrayLike) -> float:
        """By how much ⟨g, lmo(g)⟩ may exceed the minimum: 0 but for sets of matrices."""
        return self._set.lmo_accuracy(vector("gradient", gradient))

    def diameter(self, dimension: int | None = None) -> float:
        """max ‖x − x'‖₂ over K; an upper bound for capped simplices and flow polytopes, infinite for the whole space.

        Parameters
        ----------
        dimension : int, optional
            Needed for a set in any dimension.
        """
        return self._set.diameter(self._dimension(dimension))

    def interior_point(self, dimension: int | None = None) -> NDArray[np.float64]:
        """A point of the relative interior, of shape (d,)."""
        return self._set.interior_point(self._dimension(dimension))

    def shrunk(self, xi: float, centre: ArrayLike | None = None) -> Shrunk:
        """The set a + (1 − ξ)(K − a), see `Shrunk`."""
        return Shrunk(self, xi=xi, centre=centre)

    def _dimension(self, given):
        if given is not None:
            return whole("dimension", given)
        if self.dimension is None:
            raise ValueError(f"dimension is needed: a {type(self).__name__} has any")
        return self.dimension

    def __eq__(self, other):
        return isinstance(other, Set) and self._set.equals(other._set)

    def __hash__(self):
        return hash(self._set.to_bytes())

    def __repr__(self):
        settings = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in self._settings)
        return f"{type(self).__name__}({settings})"


def _shown(setting):
    if not isinstance(setting, np.ndarray):
        return repr(setting)
    return str(setting.tolist()) if len(setting) <= 6 else f"[{setting[0]}, …, {setting[-1]}]"


def project(x: ArrayLike, *, onto: Set, geometry: str | Regulariser = "euclidean") -> NDArray[np.float64]:
    """The projection of x onto a set.

    Parameters
    ----------
    x : array of shape (d,) or (n, d)
    onto : Set
    geometry : {"euclidean", "entropy"} or a mirror map, default "euclidean"

    Returns
    -------
    array of the shape of x

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.project([0.5, 0.25, -0.25, 1.0], onto=oco.Simplex()).tolist()
    [0.25, 0.0, 0.0, 0.75]
    >>> oco.project([[8.0, 1.0, 1.0]], onto=oco.CappedSimplex([0.5] * 3), geometry="entropy").tolist()
    [[0.5, 0.25, 0.25]]
    """
    if not isinstance(onto, Set):
        raise TypeError(f"onto = {onto!r} is no set")
    return onto._project("x", x, geometry)


def project_l1_box(z: ArrayLike, *, alpha: float, eta: float) -> NDArray[np.float64]:
    """argmin over y ∈ [0, 1]^d of ‖y − z‖² + αη‖y‖₁, that is clip(z − αη/2, 0, 1) (Naghibi, Pfister, 2014).

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.project_l1_box([0.25, 0.5, 2.0], alpha=0.5, eta=1.0).tolist()
    [0.0, 0.25, 1.0]
    """
    return _core.project_l1_box(vector("z", z), number("alpha", alpha), number("eta", eta))


class Simplex(Set):
    """{x ≥ 0 : Σx = mass}, in any dimension.

    The Euclidean projection is max(y − τ, 0) with τ such that the mass is right, O(d) for every input; the entropic
    one is mass·y/Σy.

    Parameters
    ----------
    mass : float, default 1
        Above 0.

    Examples
    --------
    >>> from ocoboost import oco
    >>> simplex = oco.Simplex()
    >>> simplex.project([1.0, 1.0]).tolist(), simplex.lmo([0.5, -2.0, 1.0]).tolist()
    ([0.5, 0.5], [0.0, 1.0, 0.0])
    """

    _settings = ("mass",)

    def __init__(self, mass: float = 1.0) -> None:
        self.mass = number("mass", mass)
        self._set = _core.Set.simplex(self.mass)


class CappedSimplex(Set):
    """{0 ≤ x ≤ caps : Σx = mass}: with caps k/d, the k-smooth distributions (Naghibi, Pfister, 2014, §3.1).

    Parameters
    ----------
    caps : array of shape (d,)
        At least 0, with Σ caps ≥ mass.
    mass : float, default 1

    Raises
    ------
    ValueError
        Where no point has the mass.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.CappedSimplex([0.5, 0.5, 0.5]).project([1.0, 0.25, 0.25]).tolist()
    [0.5, 0.25, 0.25]
    """

    _settings = ("caps", "mass")

    def __init__(self, caps: ArrayLike, mass: float = 1.0) -> None:
        self.caps, self.mass = vector("caps", caps), number("mass", mass)
        self._set = _core.Set.capped_simplex(self.caps, self.mass)


class Box(Set):
    """{lower ≤ x ≤ upper}.

    Parameters
    ----------
    lower, upper : array of shape (d,), or float with ``dimension``
    dimension : int, optional
        d, where the bounds are numbers.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.Box(-1.0, 1.0, dimension=3).project([0.5, -4.0, 9.0]).tolist()
    [0.5, -1.0, 1.0]
    """

    _settings = ("lower", "upper")

    def __init__(self, lower: ArrayLike, upper: ArrayLike, *, dimension: int | None = None) -> None:
        low, high = rows("lower", np.atleast_1d(lower)), rows("upper", np.atleast_1d(upper))
        if dimension is not None:
            d = whole("dimension", dimension)
            low, high = (np.full(d, bound[0]) if len(bound) == 1 else bound for bound in (low, high))
            if len(low) != d:
                raise ValueError(f"lower has {len(low)} coordinates, and dimension = {d}")
        self.lower, self.upper = vector("lower", low), vector("upper", high)
        self._set = _core.Set.box(self.lower, self.upper)


class UnitBox(Set):
    """[0, 1]^d in any dimension, with an entropic projection too, min(y, 1).

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.UnitBox().project([-0.5, 0.5, 1.5]).tolist()
    [0.0, 0.5, 1.0]
    """

    def __init__(self) -> None:
        self._set = _core.Set.unit_box()


class L2Ball(Set):
    """{‖x‖₂ ≤ radius} in any dimension.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.L2Ball(5.0).project([6.0, 8.0]).tolist()
    [3.0, 4.0]
    """

    _settings = ("radius",)

    def __init__(self, radius: float = 1.0) -> None:
        self.radius = number("radius", radius)
        self._set = _core.Set.l2_ball(self.radius)


class L1Ball(Set):
    """{‖x‖₁ ≤ radius} in any dimension.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.L1Ball(1.0).project([2.0, -2.0, 0.5]).tolist()
    [0.5, -0.5, 0.0]
    """

    _settings = ("radius",)

    def __init__(self, radius: float = 1.0) -> None:
        self.radius = number("radius", radius)
        self._set = _core.Set.l1_ball(self.radius)


class FlowPolytope(Set):
    """The unit flows from a source to a sink of an acyclic graph: a coordinate an edge, the vertices are the paths.

    Linear minimisation is a shortest path; the projection is Wolfe's algorithm (1976).

    Parameters
    ----------
    edges : list of (int, int)
        Tails and heads. Vertices are numbered from 0.
    source, sink : int
    vertices : int, optional
        One more than the largest number by default.

    Raises
    ------
    ValueError
        For a cycle, and without a path from the source to the sink.

    Examples
    --------
    >>> from ocoboost import oco
    >>> flows = oco.FlowPolytope([(0, 1), (1, 3), (0, 2), (2, 3)], source=0, sink=3)
    >>> flows.lmo([1.0, -5.0, 1.0, 1.0]).tolist(), flows.project([0.5, 1.0, 0.5, 0.0]).tolist()
    ([1.0, 1.0, 0.0, 0.0], [0.75, 0.75, 0.25, 0.25])
    """

    _settings = ("edges", "source", "sink", "vertices")

    def __init__(
        self, edges: Iterable[tuple[int, int]], *, source: int, sink: int, vertices: int | None = None
    ) -> None:
        self.edges = [(whole("a tail", tail), whole("a head", head)) for tail, head in edges]
        self.source, self.sink = whole("source", source), whole("sink", sink)
        largest = max([self.source, self.sink, *(vertex for edge in self.edges for vertex in edge)])
        self.vertices = largest + 1 if vertices is None else whole("vertices", vertices)
        self._set = _core.Set.flow_polytope(self.vertices, self.edges, self.source, self.sink)


class TraceNormBall(Set):
    """The m×n matrices X with ‖X‖_* ≤ radius. A point is ``X.ravel()``, of shape (m·n,).

    The projection is a singular value decomposition; linear minimisation is a leading singular pair by Lanczos
    iteration, to a relative accuracy of 1e−7.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.TraceNormBall(2, 2, radius=1.0).project([3.0, 0.0, 0.0, -2.5]).round(12).tolist()
    [0.75, 0.0, 0.0, -0.25]
    """

    _settings = ("n_rows", "n_columns", "radius")

    def __init__(self, n_rows: int, n_columns: int, radius: float = 1.0) -> None:
        self.n_rows, self.n_columns = whole("n_rows", n_rows), whole("n_columns", n_columns)
        self.radius = number("radius", radius)
        self._set = _core.Set.trace_norm_ball(self.n_rows, self.n_columns, self.radius)


class Spectrahedron(Set):
    """The positive semidefinite n×n matrices of a trace. A point is ``X.ravel()``, of shape (n²,).

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.Spectrahedron(2).project([2.0, 0.0, 0.0, 1.5]).round(12).tolist()
    [0.75, 0.0, 0.0, 0.25]
    """

    _settings = ("order", "trace")

    def __init__(self, order: int, trace: float = 1.0) -> None:
        self.order, self.trace = whole("order", order), number("trace", trace)
        self._set = _core.Set.spectrahedron(self.order, self.trace)


class WholeSpace(Set):
    """ℝ^d in any dimension: every projection is the identity, and there is no linear minimisation.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.WholeSpace().project([-3.0, 4.0]).tolist(), oco.WholeSpace().diameter(2)
    ([-3.0, 4.0], inf)
    """

    def __init__(self) -> None:
        self._set = _core.Set.whole_space()


class Shrunk(Set):
    """The set a + (1 − ξ)(K − a): a bandit learner in it may query nearby points without leaving K.

    Parameters
    ----------
    decision_set : Set
    xi : float
        ξ in [0, 1).
    centre : array of shape (d,), optional
        a ∈ K; the origin by default, for a set with a dimension.

    Examples
    --------
    >>> from ocoboost import oco
    >>> oco.Box([-1.0], [3.0]).shrunk(0.25, centre=[1.0]).project([9.0]).tolist()
    [2.5]
    """

    _settings = ("decision_set", "xi", "centre")

    def __init__(self, decision_set: Set, *, xi: float, centre: ArrayLike | None = None) -> None:
        if not isinstance(decision_set, Set):
            raise TypeError(f"decision_set = {decision_set!r} is no set")
        self.decision_set, self.xi = decision_set, number("xi", xi)
        self.centre = np.zeros(decision_set._dimension(None)) if centre is None else vector("centre", centre)
        self._set = decision_set._set.shrunk(self.centre, self.xi)
