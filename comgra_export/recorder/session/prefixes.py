"""The prefixes by which parameters are grouped in the dependency graph."""

from __future__ import annotations

from collections.abc import Sequence

from comgra_export.errors import MisuseError
from comgra_export.storage.text.names import shown

__all__ = ["check_prefixes"]

_VISUAL = "prefixes_for_grouping_module_parameters_visually"
_NODES = "prefixes_for_grouping_module_parameters_in_nodes"


def check_prefixes(visual: Sequence[str] | None, nodes: Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Checks the two lists of prefixes. The first prefix of a list that a parameter's name begins with counts.

    Args:
        visual: A column of the graph for each; None stands for one column with all parameters.
        nodes: A node for each; None for none.

    Returns:
        Both.

    Raises:
        MisuseError: A prefix can never count, since an earlier one covers it; or the parameters of one node would be in several
            columns, or in none.
    """
    visual_prefixes = _checked(_VISUAL, visual or [""])
    node_prefixes = _checked(_NODES, nodes or [])
    if "" in node_prefixes:
        raise MisuseError(f"ComgraRecorder: {_NODES} contains '', which is no name for a node. Use the name of a module.")
    for node in node_prefixes:
        if not node.startswith(visual_prefixes):
            raise MisuseError(
                f"ComgraRecorder: {node!r} in {_NODES} begins with no prefix of {_VISUAL}, so its node has no column. Add one there."
            )
        for prefix in visual_prefixes:
            if prefix.startswith(node) and prefix != node:
                raise MisuseError(
                    f"ComgraRecorder: {prefix!r} in {_VISUAL} is more specific than {node!r} in {_NODES}, which would spread one "
                    "node over several columns. "
                    "Make the visual prefix shorter, or the other one longer."
                )
    return visual_prefixes, node_prefixes


def _checked(argument: str, prefixes: Sequence[str]) -> tuple[str, ...]:
    if isinstance(prefixes, str) or not all(isinstance(prefix, str) for prefix in prefixes):
        raise MisuseError(f"ComgraRecorder: {argument} is {shown(prefixes)}. Give a list of strings.")
    for position, prefix in enumerate(prefixes):
        for earlier in prefixes[:position]:
            if prefix.startswith(earlier):
                raise MisuseError(
                    f"ComgraRecorder: in {argument}, {earlier!r} comes before {prefix!r} and covers it. Put the more specific prefix first."
                )
    return tuple(prefixes)
