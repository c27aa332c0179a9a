"""What the recorder costs on steps that are not recorded: a transformer's, with nothing, sentinels, or dynamic recording."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

from benchmarks.harness.recorders import no_recorder, our_recorder
from benchmarks.harness.table import Row
from benchmarks.harness.timing import in_turn, ratios
from benchmarks.harness.transformer import LAYERS, RECORDED_SAMPLES, TransformerTraining, batch_size, several_threads
from benchmarks.harness.workload import Workload
from comgra_export import ComgraRecorder

__all__ = ["HEADING", "measure"]

HEADING = "A step of a transformer that is not recorded: 6 layers, width 256, sequence 50, 18 registered tensors"

_STEPS_IN_A_ROW = 2
_PLAIN = "without a recorder"
_AGAIN = "without a recorder, again"
_UNRECORDED = "with a recorder, step not recorded"
_SENTINELS = "with sentinels"
_DYNAMIC = "with dynamic recording, decided as not due"
_TARGETS = {_UNRECORDED: 1.01, _SENTINELS: 1.03}


def measure(workload: Workload) -> list[Row]:
    """Train one network with each recorder in turn. The ratio of no recorder to no recorder shows what the others mean."""
    training = TransformerTraining(1 if workload.quick else LAYERS, batch_size(quick=workload.quick))
    make = partial(our_recorder, workload.folder / "every-step", module=training.network, recorded_steps=[], max_samples=RECORDED_SAMPLES)
    recorders = {_UNRECORDED: make("unrecorded"), _SENTINELS: make("sentinels", sentinels=True), _DYNAMIC: make("dynamic")}

    def steps(recorder: ComgraRecorder, *, decide_late: bool = False) -> Callable[[], None]:
        numbers = count()

        def run() -> None:
            for _ in range(_STEPS_IN_A_ROW):
                training.train_once(recorder, next(numbers), decide_late=decide_late)

        return run

    calls = {_PLAIN: steps(no_recorder()), _AGAIN: steps(no_recorder())}
    calls |= {name: steps(recorder, decide_late=name == _DYNAMIC) for name, recorder in recorders.items()}
    with several_threads():
        times = in_turn(calls, rounds=1 if workload.quick else 20)
    for recorder in recorders.values():
        recorder.finalize()
    rows = [Row(_PLAIN, [duration / _STEPS_IN_A_ROW * 1000 for duration in times[_PLAIN]], "ms/step")]
    for name in (_AGAIN, *recorders):
        remark = "two equal things: what differs is the machine" if name == _AGAIN else ""
        rows.append(Row(f"{name}: ratio", ratios(times[name], times[_PLAIN]), "x", remark, _TARGETS.get(name)))
    return rows
