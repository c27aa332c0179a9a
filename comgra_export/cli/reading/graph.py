"""`comgra-export graph`."""

from __future__ import annotations

from collections import defaultdict

from comgra_export.cli.console import out, printable
from comgra_export.cli.reading.choosing import choose_trial, json_number, opened, print_json
from comgra_export.reading import Graph, Trial
from comgra_export.storage.text.steps import as_step, step_in_words

__all__ = ["run_graph"]


def run_graph(path: str, *, step: float | None, trial: str | None, as_json: bool) -> None:
    """Print what was computed from what in a step."""
    name, chosen = choose_trial(opened(path), trial)
    number = _step(chosen, step)
    graph = chosen.graph(number)
    if as_json:
        rows = {
            part: [dict(zip(table, (_plain(cell) for cell in row), strict=True)) for row in table.rows()]
            for part, table in (("nodes", graph.nodes), ("edges", graph.edges))
        }
        print_json("graph", {"trial": name, "step": number, **rows})
    else:
        _print(f"{name}: {step_in_words(number)}", graph)


def _step(trial: Trial, wanted: float | None) -> float:
    """The step that is wanted, or the last training step."""
    steps = trial.steps
    if wanted is not None or not len(steps):
        return as_step(float(wanted or 0))
    trained = steps.where(is_training=True)
    return as_step(float((trained if len(trained) else steps)["step"][-1]))


def _plain(cell: object) -> object:
    return cell if isinstance(cell, (str, bool)) else json_number(cell)


def _print(title: str, graph: Graph) -> None:
    out.print(printable(title), highlight=False, markup=False)
    parents = defaultdict(list)
    for _, source, _, has_gradient, _, target_row in graph.edges.rows():
        parents[target_row].append(source if has_gradient else f"{source} (no gradient)")
    last = None
    for row, (iteration, tensor, _, _, kind, _, _, not_known) in enumerate(graph.nodes.rows()):
        if not_known:
            parents[row].append("not known" if not parents[row] else "maybe more, not known")
        if iteration != last and graph.nodes["iteration"][-1]:
            out.print(f"iteration {iteration}", highlight=False, markup=False)
        last = iteration
        of = f" <- {', '.join(parents[row])}" if parents[row] else ""
        out.print(printable(f"  {tensor} ({kind}){of}"), highlight=False, markup=False)
    if not len(graph.nodes):
        out.print("  No graph was recorded.", highlight=False, markup=False)
