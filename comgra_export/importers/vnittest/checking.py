"""Checks the content of vnittest's files, and leaves out what cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.errors import ForeignDataError
from comgra_export.importers.pickles.reader import PickleValue
from comgra_export.importers.vnittest.data import Links, VnittestData, VnittestLayer, VnittestPair, has_planes
from comgra_export.importers.vnittest.files import FLOW_INFO, INPUT, TARGET, RawFiles
from comgra_export.importers.vnittest.given_arrays import as_array, described, links_of
from comgra_export.importers.vnittest.layer_order import layers_in_order
from comgra_export.storage import clean_text

__all__ = ["check_files"]

Array = NDArray[np.generic]

_GRADIENTS = "activation_gradients"
_FLOWS = "gradient_flows"
_MAX_ELEMENTS = 2**31 - 1
_MAX_LAYERS = 1000


def check_files(files: RawFiles) -> VnittestData:
    """Checks the content of the files. It leaves out what cannot be used, and lists it in `gaps` of the result.

    Raises:
        ForeignDataError: `flow_info.pkl` does not hold a dict as vnittest expects it, or nothing in it can be used.
    """
    return _Checker(files).data()


class _Checker:
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
        """The checked content."""
        names = layers_in_order([*self._gradients], [*self._given])
        shapes = {name: gradients.shape for name, gradients in self._gradients.items()} | self._shapes_of_matrices()
        for name in names:
            if name not in shapes:
                self._gap("nothing says how many elements it has: it has no gradients, and no matrix of flows. It was left out.", name)
        layers = [name for name in names if name in shapes]
        positions = {name: position for position, name in enumerate(layers)}
        pairs = []
        for (source, target), given in self._given.items():
            if source not in positions or target not in positions:
                continue
            goes_back = positions[source] >= positions[target]
            flows = "lead back to an earlier layer" if goes_back else _flows_between(source, target, given, shapes)
            if isinstance(flows, str):
                self._gap(f"the flows from {source} to {target} {flows}; they were left out.")
            else:
                pairs.append(VnittestPair(positions[source], positions[target], flows))
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
            array = as_array(value)
            if isinstance(key, tuple):
                self._gap(f"{_GRADIENTS} has the key {_shown(key)}, which names no layer; it was left out.")
            elif array is None or array.ndim < 1 or not 0 < array.size <= _MAX_ELEMENTS:
                self._gap(f"its gradients are {described(value)} and not an array of numbers; they were left out.", _name(key))
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
        """The shapes of layers that only the flows name: their number of elements in the first matrix that has them."""
        shapes: dict[str, tuple[int, ...]] = {}
        for names, flows in self._given.items():
            matrix = as_array(flows)
            if matrix is None or matrix.ndim != 2 or not 0 < max(matrix.shape) <= _MAX_ELEMENTS:
                continue
            for name, size in zip(names, matrix.shape, strict=True):
                if name not in self._gradients and size:
                    shapes.setdefault(name, (size,))
        return shapes


def _flows_between(source: str, target: str, given: PickleValue, shapes: Mapping[str, tuple[int, ...]]) -> Array | Links | str | None:
    """Flows that can be used, or what is wrong with them, as the end of a sentence. None: vnittest estimates them."""
    if given is None:
        return None
    if isinstance(given, dict):
        return links_of(given, shapes[source], shapes[target])
    matrix = as_array(given)
    if matrix is None or matrix.ndim != 2:
        return f"are {described(given)}"
    sizes = (prod(shapes[source]), prod(shapes[target]))
    if matrix.shape != sizes:
        return f"are {list(matrix.shape)}, but {source} has {sizes[0]} elements and {target} {sizes[1]}"
    return matrix


def _name(key: object) -> str:
    return clean_text(key if isinstance(key, str) else str(key))


def _shown(key: object) -> str:
    return ascii(key)[:60]
