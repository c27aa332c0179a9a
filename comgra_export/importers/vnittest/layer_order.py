"""Puts layers into the order in which flows pass them."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["layers_in_order"]


def layers_in_order(named: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Puts each layer after the layers that lead to it. `pairs` are names (from, to), and may name more layers than `named`.

    Returns:
        Each layer once. If pairs do not decide, names are in natural order (conv2 before conv10). If pairs form a circle, the first of the
        remaining names comes next.
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


def _natural(name: str) -> list[tuple[str, int]]:
    return [(text, int(digits or 0)) for text, digits in re.findall(r"([^0-9]*)([0-9]{0,18})", name)]
