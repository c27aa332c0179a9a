"""The JSON chunks of a bundle: what each holds, and how documents share chunks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from comgra_export.exporter.format.over_time import Curve
from comgra_export.storage import CurvePoint, Gap, Network, Note, dumps, encode_gap, encode_network, encode_note, encode_number

__all__ = ["curves_document", "gaps_document", "joined_documents", "network_document", "notes_document"]


def curves_document(points: Iterable[CurvePoint]) -> bytes:
    """Collects points into curves: those of the script, then the recorder's own, each in the order of their first points.

    Two threads write them, so that their lines are mixed otherwise in each run.
    """
    curves: dict[tuple[str, str, str], Curve] = {}
    for point in sorted(points, key=lambda point: point.is_own):
        key = (point.group, point.name, point.type)
        curve = curves.setdefault(key, {"group": point.group, "name": point.name, "type": point.type, "t": [], "v": []})
        curve["t"].append(encode_number(point.t))
        curve["v"].append(encode_number(point.v))
    return dumps(list(curves.values()))


def notes_document(notes: Iterable[Note]) -> bytes:
    """The notes, in the order in which they were written."""
    return dumps([encode_note(note) for note in notes])


def network_document(network: Network) -> bytes:
    """The network, as the recording has it."""
    return dumps(encode_network(network))


def gaps_document(gaps: Iterable[Gap]) -> bytes:
    """The gaps, in the order given."""
    return dumps([encode_gap(gap) for gap in gaps])


def joined_documents(documents: Sequence[bytes], limit: int) -> tuple[list[bytes], list[int]]:
    """Puts JSON texts into JSON lists. A list of more than one document has at most `limit` bytes.

    Returns:
        The lists, as JSON texts; and for every document the position of the list that it is in. Every list holds consecutive documents.
    """
    lists: list[list[bytes]] = []
    list_of: list[int] = []
    size = 0
    for document in documents:
        size += len(document) + 1
        if not lists or size + 1 > limit:
            lists.append([])
            size = len(document) + 1
        lists[-1].append(document)
        list_of.append(len(lists) - 1)
    return [b"[" + b",".join(members) + b"]" for members in lists], list_of
