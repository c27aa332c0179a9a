"""The choice of what goes into a bundle, from what is wanted and how large it may be.

An export never holds the numbers of all steps at once. It opens the files of a step several times instead, and each pass reads only the
arrays that it needs. These are the passes, in order. Each goes through all trials and their steps; 6 and 7 alternate from trial to trial.

Before the choice, in `exporter.build`:

1. `flow_estimates`, only with `estimate_flow`: the counts, which say whether a gradient came to a tensor.
2. `figures`, only with a Python visualization: whatever its functions ask for.

The choice itself, in `Fitting`:

3. `over_time.flow_sizes`, only with a limit of size: every gradient flow is encoded once, and only its size is kept. A flow that is in the
   bundle is encoded again in pass 8, since all of them together may not fit into memory.
4. `magnitudes.read_magnitudes`, only if values may be rounded: the extrema, which say which two-byte type holds the values of a tensor.
5. `estimate.Estimate`, only with a limit of size: the statistics of up to 64 steps of each trial, then all arrays and the histograms of
   up to 16 steps. They are encoded, and the ratios give the size of every bundle that is possible.

Writing, in `pack.packing.pack`. If the bundle turns out too large after all, these passes are made again with less in it:

6. `pack.series`: statistics, extrema and counts. They become curves, so the rows of all steps of a trial are needed first.
7. `pack.histograms`: the counts and extrema, then the histograms, of at most 256 steps at a time.
8. `pack.flows`: the gradient flows, one at a time.
9. `pack.packing`: all arrays of a step, one step at a time. The page loads them last, so they are last in the bundle.
"""

from __future__ import annotations

from comgra_export.errors import ExportError
from comgra_export.exporter.figures import Drawn
from comgra_export.exporter.plan.plan import Plan
from comgra_export.exporter.plan.selection import Selection
from comgra_export.exporter.reporting.progress import Report
from comgra_export.exporter.reporting.too_large import TooLargeError
from comgra_export.exporter.size.budget import Rung, choose_rung, ladder
from comgra_export.exporter.size.estimate import Estimate, Stored
from comgra_export.exporter.size.magnitudes import read_magnitudes
from comgra_export.exporter.size.over_time import flow_sizes
from comgra_export.exporter.size.reduction import Reducer, check_samples

__all__ = ["Fitting"]

# An estimate is wrong by one or two percent, and what turns out too large is packed a second time.
_AIM = 0.975
# If perhaps nothing has to be left out, packing everything shows it.
_WORTH_A_TRY = 1.1


class Fitting:
    """Chooses what goes into a bundle. `fixed_bytes` and `stored` are those of `Estimate`.

    Without `max_bytes`, it may be as large as it needs.

    Attributes:
        plan: What goes into the bundle.
        is_smaller: Whether something was left out to fit the size.

    Raises:
        WrongChoiceError: What is wanted is not there.
        ExportError: Even the smallest possible bundle does not fit.
    """

    def __init__(
        self,
        plan: Plan,
        drawn: Drawn,
        selection: Selection,
        *,
        max_bytes: int | None,
        fixed_bytes: int,
        stored: Stored,
        report: Report,
    ) -> None:
        self.plan = plan
        self.is_smaller = False
        self._max_bytes = max_bytes
        self._or_draw_less = ", draw less (visualization=, --visualization)" if drawn.figures else ""
        if max_bytes is None and selection == Selection():
            return
        check_samples(plan, selection)
        may_round = max_bytes is not None or selection.precision in ("float16", "bfloat16")
        may_drop_flows = max_bytes is not None and selection.precision != "none"
        sizes = flow_sizes(plan, stored, report) if may_drop_flows else {}
        magnitudes = read_magnitudes(plan, report) if may_round else None
        self._reducer = Reducer(plan, selection, magnitudes, sizes)
        self._rungs = [Rung()]
        self._rung = 0
        if max_bytes is not None:
            self._rungs = ladder(self._reducer.most_samples(), self._reducer.most_steps(), len(sizes))
            self._estimate = Estimate(self._reducer, drawn, fixed_bytes, stored, report)
            self._correction = 1.0
            if self._estimate.size_of(self._rungs[0]) > max_bytes * _WORTH_A_TRY:
                self._rung = self._first_that_fits(0, max_bytes)
        self._apply()

    def go_down(self, error: TooLargeError) -> None:
        """Keeps less, after the bundle turned out to be too large.

        Raises:
            ExportError: There is nothing more to leave out.
        """
        assert self._max_bytes is not None
        size = error.projected(self.plan.bytes)
        self._correction = max(self._correction, size / self._estimate.size_of(self._rungs[self._rung]))
        self._rung = self._first_that_fits(self._rung + 1, self._max_bytes)
        self._apply()

    def _first_that_fits(self, start: int, max_bytes: int) -> int:
        def size_of(rung: Rung) -> float:
            return self._estimate.size_of(rung) * self._correction

        rung = choose_rung(self._rungs, size_of, max_bytes * _AIM, start)
        if rung is None:
            least = size_of(self._rungs[-1]) / _AIM
            raise ExportError(
                f"Even without any values, and with the first step of each type alone, this needs about {_in_words(least)}, which is "
                f"{_in_words(max(0.0, least - max_bytes))} more than the {_in_words(max_bytes)} allowed. "
                f"Choose fewer trials (trials=, --trials){self._or_draw_less}, or allow more."
            )
        return rung

    def _apply(self) -> None:
        self.plan = self._reducer.reduced(self._rungs[self._rung])
        self.is_smaller = self._rung > 0


def _in_words(count: float) -> str:
    # Who forgets a unit should see it.
    return f"{count:,.0f} bytes" if count < 10_000 else f"{count / 1e6:,.2f} MB"
