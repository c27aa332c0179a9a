"""Tensors of a step in which all tokens of a sample are almost the same vector."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np
from numpy.typing import NDArray

from comgra_export.storage.arrays.safetensors import widened
from comgra_export.storage.model.layout import TensorEntry
from comgra_export.storage.model.step_description import TensorReference, TokenFact

__all__ = ["token_facts"]

_LEAST_COSINE = 0.95
_LEAST_TOKENS, _LEAST_FEATURES = 4, 16
_SAMPLES = 4
_MOST_FACTS = 64


def token_facts(values: Iterable[tuple[TensorEntry, NDArray[np.generic]]]) -> tuple[TokenFact, ...]:
    """Compares the tokens of the first samples: in tensors `[B, T, F]` of floating point numbers, with `T` at least 4 and `F` at least 16.

    Args:
        values: Tensors, and the values that their histograms count, in their stored dtypes. Those of which a histogram does not count all
            values are left out, and those that hold NaN, infinity or a token of zeros.

    Returns:
        A fact for each tensor whose mean cosine between different tokens of a sample is above 0.95; at most 64.
    """
    facts = []
    for entry, chosen in values:
        if entry.is_floating and len(entry.shape) == 3 and entry.batch_dimension == 0 and chosen.size == prod(entry.shape) > 0:
            batch, tokens, features = entry.shape
            if tokens < _LEAST_TOKENS or features < _LEAST_FEATURES:
                continue
            samples = min(batch, _SAMPLES)
            first = widened(entry.stored, chosen.reshape(-1)[: samples * tokens * features]).astype(np.float64)
            cosine = _mean_cosine(first.reshape(samples, tokens, features))
            if cosine > _LEAST_COSINE:
                facts.append(TokenFact(TensorReference(entry.name, entry.iteration), cosine))
    return tuple(facts[:_MOST_FACTS])


def _mean_cosine(values: NDArray[np.float64]) -> float:
    """The mean over samples and pairs of different tokens, `[S, T, F]`. NaN if a token is zero or not finite."""
    tokens = values.shape[1]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        units = values / np.linalg.norm(values, axis=2, keepdims=True)
        together = np.square(units.sum(axis=1)).sum(axis=1)
    return float(((together - tokens) / (tokens * (tokens - 1))).mean())
