"""How large the gradient flows of a plan are in a bundle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from comgra_export.exporter.format.chunks import EncodedChunk
from comgra_export.exporter.pack.flow_reading import pairs_of_flows
from comgra_export.exporter.pack.flows import add_flows
from comgra_export.exporter.pack.stream import chunk_stream
from comgra_export.exporter.plan.plan import Plan
from comgra_export.exporter.problems import Problems
from comgra_export.exporter.progress import Progress, Report

__all__ = ["FlowKey", "flow_sizes"]

# What the page says of a chunk besides its content.
_BYTES_PER_CHUNK = 100


class FlowKey(NamedTuple):
    """Names a flow of a plan: the position of its trial, its step, and its position in the step's description."""

    trial: int
    step: int
    position: int


def flow_sizes(plan: Plan, stored: Callable[[bytes], int], report: Report) -> dict[FlowKey, int]:
    """Encodes every flow once, for its size; those that are damaged have none.

    Args:
        plan: The plan.
        stored: What the text of a chunk takes where the bundle is written.
        report: Told how many pairs of layers are done.

    Returns:
        The sizes, the largest first.
    """
    sizes: dict[FlowKey, int] = {}
    total = sum(map(pairs_of_flows, plan.trials))
    done = 0

    def one_more() -> None:
        nonlocal done
        done += 1
        report(Progress("Choosing", done, total))

    for number, trial in enumerate(plan.trials):
        for step in trial.steps:
            for position in step.flows:
                alone = replace(trial, steps=(replace(step, flows=(position,)),))
                encoded: list[int] = []

                def add(_: int, chunk: EncodedChunk, __: bool, encoded: list[int] = encoded) -> bool:
                    encoded.append(stored(chunk.base64) + _BYTES_PER_CHUNK)
                    return True

                with chunk_stream(add) as stream:
                    add_flows(stream, alone, Problems(()), one_more)
                    stream.finish()
                sizes[FlowKey(number, step.description.step, position)] = sum(encoded)
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))
