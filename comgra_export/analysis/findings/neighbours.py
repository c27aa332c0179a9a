"""Where to look next: the places around the first place of a finding, which its rule names by what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from comgra_export.analysis.findings.incidents import keys_of
from comgra_export.analysis.findings.model.finding import Finding, Neighbour, Place
from comgra_export.analysis.findings.rules.losses import through_views
from comgra_export.analysis.history.graph import StepGraph
from comgra_export.analysis.history.run import Run
from comgra_export.analysis.history.series import TensorKey
from comgra_export.errors import DamagedRecordingError
from comgra_export.storage import LossCall

__all__ = ["with_neighbours"]

_MOST = 3
_MOST_OF_A_KIND = 2


def with_neighbours(findings: Sequence[Finding], run: Run) -> Sequence[Finding]:
    """Says for each finding where to look next: at most three places that it does not name itself.

    Nothing is named that the recording does not hold, or that cannot be read.

    Args:
        findings: What the rules found.
        run: The run.
    """
    return [_with_neighbours(finding, run) for finding in findings]


def _with_neighbours(finding: Finding, run: Run) -> Finding:
    try:
        around = _Surroundings(run, finding)
        near = [place for kind in finding.neighbours for place in around.places_of(kind)]
    except DamagedRecordingError:
        return finding
    own = {place.name for place in finding.places}
    new: dict[str, Place] = {}
    for place in near:
        if place.name not in own:
            new.setdefault(place.name, place)
    return replace(finding, look_next=tuple(new.values())[:_MOST])


class _Surroundings:
    """What was computed before and after the first place of a finding, in the step of the finding or else in the first that shows it."""

    def __init__(self, run: Run, finding: Finding) -> None:
        self._run = run
        self._position, self._starts = _where(run, finding)
        self._graph = StepGraph() if self._position is None else run.graph(self._position)

    @cached_property
    def _ordered(self) -> list[TensorKey]:
        return sorted(self._starts, key=lambda key: (self._graph.depth[key], key))

    @cached_property
    def _behind(self) -> frozenset[TensorKey]:
        """The tensors of the place, and all that these were computed from."""
        return self._graph.reached(self._starts, self._graph.parents)

    @cached_property
    def _after(self) -> frozenset[TensorKey]:
        """The tensors of the place, and all that was computed from these."""
        return self._graph.reached(self._starts, self._graph.children)

    def places_of(self, kind: Neighbour) -> Iterator[Place]:
        """The places of a kind, in the order of the graph, at most two."""
        if self._position is None:
            return
        if kind == "caller":
            yield from self._callers()
            return
        keys = {
            "before": self._before,
            "input": self._inputs,
            "prediction": self._predictions,
            "target": self._targets,
            "loss": self._losses,
        }
        chosen: dict[TensorKey, None] = {}
        for key in keys[kind](self._position):
            chosen[key] = None
            if len(chosen) == _MOST_OF_A_KIND:
                break
        yield from (Place("tensor", *key) for key in chosen)

    def _callers(self) -> Iterator[Place]:
        """The modules that computed the place in their own `forward`, and not by a module in them."""
        for key in self._ordered:
            entry = self._run.tensors.get(key)
            if entry is not None and entry.module is not None and not key.name.startswith((f"{entry.module}: output", f"{entry.module} (")):
                yield Place("module", entry.module)

    def _before(self, position: int) -> Iterator[TensorKey]:
        for start in self._ordered:
            for parent in self._graph.parents.get(start, ()):
                entry = self._run.tensors.get(parent)
                if entry is not None and entry.type != "parameter":
                    yield through_views(self._run, position, parent)

    def _inputs(self, position: int) -> Iterator[TensorKey]:
        """The inputs of the network behind the place; if there is none, as for a target, those behind the prediction."""
        graph = self._graph
        inputs = [key for key in graph.shown if self._is_input(key)]
        own = self._behind - self._starts
        if self._starts and not own.intersection(inputs):
            own = graph.reached(self._predictions(position), graph.parents)
        yield from (key for key in inputs if key in own or not self._starts)

    def _is_input(self, key: TensorKey) -> bool:
        entry = self._run.tensors.get(key)
        return entry is not None and entry.type == "input" and not self._graph.parents.get(key)

    def _predictions(self, position: int) -> Iterator[TensorKey]:
        calls = self._calls(position)
        for call in calls:
            if call.prediction is not None:
                yield through_views(self._run, position, TensorKey(*call.prediction))
        if not calls:
            yield from self._returned_for_loss(position)

    def _returned_for_loss(self, position: int) -> Iterator[TensorKey]:
        """What modules returned last before what a script computed a loss of itself."""
        for root in self._losses(position):
            returned = [key for key in self._graph.ancestors(root) if ": output" in key.name]
            if returned:
                yield max(returned, key=lambda key: (self._graph.depth[key], key))

    def _targets(self, position: int) -> Iterator[TensorKey]:
        for call in self._calls(position):
            if call.target is not None:
                yield TensorKey(*call.target)

    def _losses(self, position: int) -> Iterator[TensorKey]:
        """What the backward passes began from, and the losses in it."""
        roots = [TensorKey(*root) for root in self._run.steps[position].backward_roots]
        for root in roots:
            if root in self._graph.shown and (not self._starts or root in self._after):
                yield root
        for call in self._calls(position):
            if call.result is not None:
                yield TensorKey(*call.result)

    def _calls(self, position: int) -> list[LossCall]:
        """The calls of loss functions that the place goes into; all of them if the place is none of the tensors, such as an optimizer."""
        calls = self._run.steps[position].losses
        return [call for call in calls if not self._starts or self._after.intersection(_tensors_of(call))]


def _tensors_of(call: LossCall) -> set[TensorKey]:
    return {TensorKey(*each) for each in (call.prediction, call.target, call.result) if each is not None}


def _where(run: Run, finding: Finding) -> tuple[int | None, set[TensorKey]]:
    """A step whose graph shows the first place of a finding, and its tensors there; else the first training step, and no tensor."""
    training = np.flatnonzero(run.is_training).tolist()
    own = [] if finding.step is None else np.flatnonzero(run.numbers == finding.step).tolist()
    for position in dict.fromkeys([*own, *training[:1], *training[-1:]]):
        starts = keys_of(finding.place, run.graph(position))
        if starts:
            return position, starts
    return next(iter(training), None), set()
