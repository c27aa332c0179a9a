"""The order in which the steps of a run are useful."""

from __future__ import annotations

__all__ = ["usefulness"]


def usefulness(count: int) -> list[int]:
    """The places of `count` steps in the order in which they are useful: the first, the last, then always the middle of the widest gap.

    So those that are kept are spread evenly, however many they are, and fewer are always some of more.
    """
    order = [0, count - 1] if count > 1 else [0] * count
    gaps = [(0, count - 1)] if count > 2 else []
    while gaps:
        halves: list[tuple[int, int]] = []
        for low, high in gaps:
            middle = (low + high) // 2
            order.append(middle)
            halves.extend(gap for gap in ((low, middle), (middle, high)) if gap[1] - gap[0] > 1)
        gaps = halves
    places = [0] * count
    for place, step in enumerate(order):
        places[step] = place
    return places
