"""What the files of vnittest say, checked: layers in their order, their gradients, and the flows between them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.allow_list_pickle import PickleValue
from comgra_export.importers.vnittest.files import FLOW_INFO, INPUT, TARGET, RawFiles
from comgra_export.storage import clean_text

__all__ = ["PLANES", "Links", "VnittestData", "VnittestLayer", "VnittestPair", "check_files", "has_planes", "layers_in_order"]

Array = NDArray[np.generic]

PLANES = 9
"""How many planes a layer has in the explicit mode: one per neighbour of a pixel and the pixel itself, row by row."""

_GRADIENTS = "activation_gradients"
_FLOWS = "gradient_flows"
_LINKS = ("indices_in", "indices_out")
_MAX_ELEMENTS = 2**31 - 1
_MAX_LAYERS = 1000


@dataclass(frozen=True, eq=False)
class Links:
    """Flows of value 1 between elements: int64 `[n]`, positions in the flattened layers. Each pair once, ascending."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class VnittestLayer:
    """A layer.

    Attributes:
        name: Its name.
        gradients: Of its own shape; None where the files have none.
        shape: Sizes; a single one where only the flows say how many elements there are.
    """

    name: str
    gradients: Array | None
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class VnittestPair:
    """Two layers, by position, the source before the target, and the flows between them.

    Attributes:
        flows: A matrix `[elements of the source, elements of the target]`, or links; None: vnittest estimates them when it shows them.
    """

    source: int
    target: int
    flows: Array | Links | None


@dataclass(frozen=True, eq=False)
class VnittestData:
    """All of it.

    Attributes:
        is_explicit: Whether the layers have nine planes, and flows lead to the neighbours of a pixel.
        layers: In the order in which the flows follow one another.
        pairs: In the order of their layers.
        input: The input's picture, or None.
        target: The target's picture, or None.
        gaps: What was left out, and why: the name of a layer or None, and a sentence.
    """

    is_explicit: bool
    layers: tuple[VnittestLayer, ...]
    pairs: tuple[VnittestPair, ...]
    input: Array | None
    target: Array | None
    gaps: tuple[tuple[str | None, str], ...]


def check_files(files: RawFiles) -> VnittestData:
    """Makes data out of what the files hold. What cannot be used is left out, and `gaps` says so.

    Raises:
        ForeignDataError: `flow_info.pkl` is not a dict of vnittest's, or nothing in it can be used.
    """
    return _Checking(files).data()


class _Checking:
    def __init__(self, files: RawFiles) -> None:
        self._gaps: list[tuple[str | None, str]] = []
        self._pictures = {name: self._picture(name, picture) for name, picture in ((INPUT, files.input), (TARGET, files.target))}
        info = files.flow_info if isinstance(files.flow_info, dict) else {}
        gradients, flows = info.get(_GRADIENTS), info.get(_FLOWS)
        if not isinstance(gradients, dict) or not isinstance(flows, dict):
            raise ForeignDataError(
                f"{FLOW_INFO} is not one of vnittest's: it should hold a dict with the keys {_GRADIENTS!r} and {_FLOWS!r}, both dicts."
            )
        for key in info:
            if key not in (_GRADIENTS, _FLOWS):
                self._gap(f"{FLOW_INFO} also holds {_shown(key)}, which vnittest does not use; it was left out.")
        if len(gradients) > _MAX_LAYERS or len(flows) > _MAX_LAYERS:
            raise ForeignDataError(f"{FLOW_INFO} has more than {_MAX_LAYERS:,} layers or pairs of layers, and is not read.")
        self._gradients = self._arrays(gradients)
        self._given = self._named_pairs(flows)

    def data(self) -> VnittestData:
        names = layers_in_order([*self._gradients], [*self._given])
        shapes = {name: gradients.shape for name, gradients in self._gradients.items()} | self._shapes_of_matrices()
        for name in names:
            if name not in shapes:
                self._gap("nothing says how many elements it has: it has no gradients, and no matrix of flows. It was left out.", name)
        layers = [name for name in names if name in shapes]
        place = {name: position for position, name in enumerate(layers)}
        pairs = []
        for (source, target), flows in self._given.items():
            if source not in place or target not in place:
                continue
            if place[source] >= place[target]:
                self._gap(f"the flows from {source} to {target} lead back to an earlier layer; they were left out.")
                continue
            pair = self._pair(source, target, flows, shapes)
            if pair is not None:
                pairs.append(VnittestPair(place[source], place[target], *pair))
        if not layers:
            raise ForeignDataError(f"{FLOW_INFO} holds no layer that can be used. {' '.join(reason for _, reason in self._gaps)}")
        picture = self._pictures[INPUT]
        return VnittestData(
            is_explicit=all(map(has_planes, shapes.values())) if picture is None else has_planes(picture.shape),
            layers=tuple(VnittestLayer(name, self._gradients.get(name), shapes[name]) for name in layers),
            pairs=tuple(sorted(pairs, key=lambda pair: (pair.source, pair.target))),
            input=picture,
            target=self._pictures[TARGET],
            gaps=tuple(self._gaps),
        )

    def _gap(self, reason: str, layer: str | None = None) -> None:
        self._gaps.append((layer, reason))

    def _picture(self, name: str, picture: Array | None) -> Array | None:
        if picture is None:
            self._gap(f"there is no {name}, which vnittest needs; the rest is here.")
        elif picture.ndim < 1 or not picture.size:
            self._gap(f"{name} is empty or a single number; it was left out.")
            return None
        return picture

    def _arrays(self, given: Mapping[object, PickleValue]) -> dict[str, Array]:
        arrays = {}
        for key, value in given.items():
            array = _as_array(value)
            if isinstance(key, tuple):
                self._gap(f"{_GRADIENTS} has the key {_shown(key)}, which names no layer; it was left out.")
            elif array is None or array.ndim < 1 or not 0 < array.size <= _MAX_ELEMENTS:
                self._gap(f"its gradients are {_described(value)} and not an array of numbers; they were left out.", _name(key))
            else:
                arrays[_name(key)] = array
        return arrays

    def _named_pairs(self, given: Mapping[object, PickleValue]) -> dict[tuple[str, str], PickleValue]:
        pairs = {}
        for key, value in given.items():
            if not isinstance(key, tuple) or len(key) != 2:
                self._gap(f"{_FLOWS} has the key {_shown(key)}, which is not a pair of layers; it was left out.")
            elif key[0] == key[1]:
                self._gap(f"{_FLOWS} has flows from {_shown(key[0])} to itself; they were left out.")
            else:
                pairs[_name(key[0]), _name(key[1])] = value
        return pairs

    def _shapes_of_matrices(self) -> dict[str, tuple[int, ...]]:
        """Of layers that only the flows name: how many elements they have, according to the first matrix."""
        shapes: dict[str, tuple[int, ...]] = {}
        for names, flows in self._given.items():
            matrix = _as_array(flows)
            if matrix is None or matrix.ndim != 2 or not 0 < max(matrix.shape) <= _MAX_ELEMENTS:
                continue
            for name, size in zip(names, matrix.shape, strict=True):
                if name not in self._gradients and size:
                    shapes.setdefault(name, (size,))
        return shapes

    def _pair(
        self, source: str, target: str, flows: PickleValue, shapes: Mapping[str, tuple[int, ...]]
    ) -> tuple[Array | Links | None] | None:
        """The flows as they can be used, in a tuple of their own; None where they cannot."""
        between = f"the flows from {source} to {target}"
        if flows is None:
            return (None,)
        if isinstance(flows, dict):
            links = _links(flows, shapes[source], shapes[target])
            if isinstance(links, Links):
                return (links,)
            self._gap(f"{between} {links}; they were left out.")
            return None
        matrix = _as_array(flows)
        sizes = (prod(shapes[source]), prod(shapes[target]))
        if matrix is None or matrix.ndim != 2:
            self._gap(f"{between} are {_described(flows)}; they were left out.")
            return None
        if matrix.shape != sizes:
            self._gap(
                f"{between} are {list(matrix.shape)}, but {source} has {sizes[0]} elements and {target} {sizes[1]}; they were left out."
            )
            return None
        return (matrix,)


def layers_in_order(named: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Puts layers behind those that they follow.

    Args:
        named: Names of layers, in any order.
        pairs: Names (from, to). They may name further layers.

    Returns:
        Each layer once. Where pairs do not decide, names in their natural order (conv2 before conv10); where they go in a circle, the first
        name of what is left comes next.
    """
    names = sorted(dict.fromkeys([*named, *(name for pair in pairs for name in pair)]), key=_natural)
    waits_for = {name: {source for source, target in pairs if target == name and source != name} for name in names}
    order: list[str] = []
    while names:
        following = next((name for name in names if not waits_for[name]), names[0])
        names.remove(following)
        order.append(following)
        for sources in waits_for.values():
            sources.discard(following)
    return order


def has_planes(shape: tuple[int, ...]) -> bool:
    """Whether a layer or picture of these sizes is one of the explicit mode."""
    return len(shape) == 3 and shape[0] == PLANES


def _natural(name: str) -> list[tuple[str, int]]:
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]{0,18})", name)]


def _as_array(value: PickleValue) -> Array | None:
    """An array of numbers, out of lists of numbers too; None where it is none."""
    if isinstance(value, np.ndarray):
        return value
    # Looked at before, since numpy would make every element as wide as the longest text.
    if not isinstance(value, (list, tuple)) or not _holds_numbers(value):
        return None
    try:
        array = np.array(value)
    except ValueError:
        # Lists of different lengths.
        return None
    return array if array.dtype.kind in "biuf" else None


def _holds_numbers(value: PickleValue) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_holds_numbers, value))
    return isinstance(value, (bool, int, float, np.ndarray))


def _links(flows: Mapping[object, PickleValue], source: tuple[int, ...], target: tuple[int, ...]) -> Links | str:
    """Links out of lists of positions, or what is wrong with them, as the rest of a sentence."""
    if set(flows) != set(_LINKS):
        return f"are a dict without exactly {_LINKS[0]} and {_LINKS[1]}"
    positions = []
    for key, shape in zip(_LINKS, (source, target), strict=True):
        flat = _flat_positions(flows[key], shape)
        if flat is None:
            return f"have {key} that are not positions in {list(shape)}, neither flat nor (rows, columns)"
        positions.append(flat)
    if len(positions[0]) != len(positions[1]):
        return f"have {len(positions[0])} {_LINKS[0]} and {len(positions[1])} {_LINKS[1]}"
    pairs = np.unique(np.stack(positions, axis=1), axis=0)
    return Links(pairs[:, 0], pairs[:, 1])


def _flat_positions(value: PickleValue, shape: tuple[int, ...]) -> NDArray[np.int64] | None:
    """Positions in a flattened layer, out of flat ones, or of rows and columns in a layer `[..., rows, columns]` of one plane."""
    array = _as_array(value)
    if array is None:
        return None
    if not array.size:
        return np.zeros(0, np.int64)
    if array.dtype.kind not in "iu":
        return None
    indices: NDArray[np.int64] = array.astype(np.int64)
    if array.ndim == 2 and len(array) == 2 and len(shape) > 1:
        rows, columns = indices[0], indices[1]
        if prod(shape[:-2]) != 1 or rows.min() < 0 or rows.max() >= shape[-2] or columns.min() < 0 or columns.max() >= shape[-1]:
            return None
        return np.asarray(rows * shape[-1] + columns)
    flat: NDArray[np.int64] = indices.reshape(-1)
    return flat if flat.min() >= 0 and flat.max() < prod(shape) else None


def _name(key: object) -> str:
    return clean_text(key if isinstance(key, str) else str(key))


def _shown(key: object) -> str:
    return ascii(key)[:60]


def _described(value: PickleValue) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of the shape {list(value.shape)}"
    return "nothing" if value is None else f"a {type(value).__name__}"
