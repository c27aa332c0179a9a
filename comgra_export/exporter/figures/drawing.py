"""Draws all figures, for every selection that they depend on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import NamedTuple

from comgra_export.exporter.figures.declare import Figure
from comgra_export.exporter.figures.failures import error_in_words, traceback_text
from comgra_export.exporter.figures.frames import FramePolicy, plotly_frame
from comgra_export.exporter.figures.load import FigureFile
from comgra_export.exporter.figures.results import document_of, error_document, plotly_script
from comgra_export.exporter.figures.trial_reader import TrialReader
from comgra_export.exporter.figures.view import View
from comgra_export.exporter.format.figures import FigureDocument
from comgra_export.exporter.plan.index import Interner
from comgra_export.exporter.plan.plan import PlannedTrial
from comgra_export.exporter.reporting.progress import Progress, Report
from comgra_export.storage import dumps
from comgra_export.storage.text.steps import step_in_words

__all__ = ["Drawn", "DrawnFigure", "DrawnSelection", "draw_figures"]

_NONE = -1


class DrawnSelection(NamedTuple):
    """What was drawn for a selection: a position in the documents. What it does not depend on is -1, and so is the sample of the batch."""

    step: float
    iteration: int
    sample: int
    document: int


@dataclass(frozen=True)
class DrawnFigure:
    """A figure, and what was drawn of it for each of the trials. Selections for which nothing is drawn are not there."""

    title: str
    file: str
    per: tuple[str, ...]
    trials: tuple[tuple[DrawnSelection, ...], ...]


@dataclass(frozen=True)
class Drawn:
    """All figures.

    Attributes:
        documents: What was drawn, as JSON texts, each once.
        policies: For each document, what the page's policy must allow.
        plotly: The JSON text of the frame that shows figures of plotly; None if there is none.
        plotly_policy: What the page's policy must allow for that frame.
        problems: A sentence for each figure that could not be drawn for some selections, and for what cannot work in the page.
    """

    figures: tuple[DrawnFigure, ...] = ()
    documents: list[bytes] = field(default_factory=list)
    policies: list[FramePolicy] = field(default_factory=list)
    plotly: bytes | None = None
    plotly_policy: FramePolicy = field(default_factory=FramePolicy)
    problems: tuple[str, ...] = ()

    def policy_of(self, documents: Iterable[int]) -> FramePolicy:
        """What the page's policy must allow for some of the documents, given by their positions, and for the frame of plotly."""
        policy = FramePolicy()
        policy.add(self.plotly_policy)
        for document in documents:
            policy.add(self.policies[document])
        return policy


def draw_figures(files: Sequence[FigureFile], trials: Sequence[PlannedTrial], report: Report) -> Drawn:
    """Calls the functions of the files. What they print goes to standard error; an error of one is drawn in its place."""
    drawer = _Drawer(report, sum(len(list(_selections(figure, trial))) for file in files for figure in file.figures for trial in trials))
    figures = tuple(
        DrawnFigure(figure.title, file.name, figure.per, drawer.draw(file, figure, trials)) for file in files for figure in file.figures
    )
    plotly, plotly_policy = None, FramePolicy()
    if drawer.has_plotly:
        before, behind = plotly_frame(plotly_script(), plotly_policy)
        plotly = dumps({"before": before, "behind": behind})
    return Drawn(figures, drawer.documents.values, drawer.policies, plotly, plotly_policy, tuple(drawer.problems))


class _Drawer:
    def __init__(self, report: Report, total: int) -> None:
        self.documents: Interner[bytes] = Interner()
        self.policies: list[FramePolicy] = []
        self.problems: list[str] = []
        self.has_plotly = False
        self._report = report
        self._done = 0
        self._total = total

    def draw(self, file: FigureFile, figure: Figure, trials: Sequence[PlannedTrial]) -> tuple[tuple[DrawnSelection, ...], ...]:
        """Draws a figure for all trials."""
        failures: list[str] = []
        calls = self._done
        drawn_before = len(self.policies)
        drawn = tuple(tuple(self._draw_trial(file, figure, trial, failures)) for trial in trials)
        if failures:
            count = f"{len(failures):,} of {self._done - calls:,} selections"
            self.problems.append(f"{file.name}: \u201c{figure.title}\u201d could not be drawn for {count}. The first is {failures[0]}")
        for what in sorted(set().union(*(policy.blocked for policy in self.policies[drawn_before:]))):
            self.problems.append(f"{file.name}: \u201c{figure.title}\u201d has {what}, which a page without a network does not allow.")
        return drawn

    def _draw_trial(self, file: FigureFile, figure: Figure, trial: PlannedTrial, failures: list[str]) -> Iterator[DrawnSelection]:
        reader = TrialReader(trial)
        for step, iteration, sample in _selections(figure, trial):
            self._report(Progress("Drawing", self._done, self._total))
            self._done += 1
            view = View(reader, step, iteration, sample)
            policy = FramePolicy()
            document = self._call(file, figure, trial.source.label, view, policy, failures)
            if document is not None:
                position = self.documents.position(dumps(document))
                if position == len(self.policies):
                    self.policies.append(policy)
                yield DrawnSelection(_NONE if step is None else step, _number(iteration), _number(sample), position)
        self._report(Progress("Drawing", self._done, self._total))

    def _call(
        self, file: FigureFile, figure: Figure, label: str, view: View, policy: FramePolicy, failures: list[str]
    ) -> FigureDocument | None:
        try:
            with redirect_stdout(sys.stderr):
                document = document_of(figure.draw(view), policy)
                if document is not None and document["kind"] == "plotly":
                    self.has_plotly = True
            return document
        except (Exception, SystemExit) as error:
            failures.append(f"{_in_words(label, view)}: {error_in_words(error)}")
            return error_document(traceback_text(error, file.name))


def _selections(figure: Figure, trial: PlannedTrial) -> Iterator[tuple[float | None, int | None, int | None]]:
    """Step, iteration and sample of every call. No sample stands for the batch, and comes before the samples."""
    if not figure.per:
        yield None, None, None
        return
    for step in trial.steps:
        description = step.description
        samples = (None, *description.samples.index) if "sample" in figure.per else (None,)
        for iteration in range(len(description.structures)) if "iteration" in figure.per else (None,):
            for sample in samples:
                yield description.step, iteration, sample


def _number(part: int | None) -> int:
    return _NONE if part is None else part


def _in_words(label: str, view: View) -> str:
    step = "" if view.step is None else f", {step_in_words(view.step)}"
    parts = {"iteration": view.iteration, "sample": view.sample}
    return label + step + "".join(f", {name} {value}" for name, value in parts.items() if value is not None)
