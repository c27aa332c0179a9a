"""Positions in the lists of `network.json`: which keep their meaning from session to session, and which steps refer to others."""

from __future__ import annotations

from dataclasses import replace

from comgra_export.storage.model.network import Network
from comgra_export.storage.model.step_description import StepDescription

__all__ = ["continue_network", "without_dangling_positions"]


def continue_network(before: Network, after: Network, session: int) -> Network:
    """The lists of `after`, with what `before` has behind them; `after` alone if positions do not mean the same in both."""
    modules_agree = all(old.name == new.name for old, new in zip(before.modules, after.modules, strict=False))
    parameters_agree = all(old.name == new.name for old, new in zip(before.parameters, after.parameters, strict=False))
    if not (modules_agree and parameters_agree):
        return replace(after, session=session)
    return Network(
        after.modules + before.modules[len(after.modules) :],
        after.parameters + before.parameters[len(after.parameters) :],
        before.optimizers if after.optimizers is None else after.optimizers,
        before.session,
        after.unregistered,
    )


def without_dangling_positions(description: StepDescription, network: Network) -> tuple[StepDescription, list[str]]:
    """A step without the attributes whose positions lead out of the lists of the network, or into those of another session's.

    Returns:
        The step, and the names of the attributes that are left out.
    """
    runs, parameters, rates = description.module_runs, description.parameters, description.learning_rates
    groups = [len(optimizer.groups) for optimizer in network.optimizers or ()]
    is_older = description.session < network.session
    dangling = {
        # The positions ascend, so that the last one is the largest.
        "module_runs": runs is not None and (is_older or runs.modules[-1:] >= (len(network.modules),)),
        "parameters": parameters is not None and (is_older or parameters.parameters[-1:] >= (len(network.parameters),)),
        "learning_rates": rates is not None
        and (is_older or len(rates) > len(groups) or any(len(own) > count for own, count in zip(rates, groups, strict=False))),
        # Whether they lead out of the list is known when they are read.
        "calls": bool(description.calls) and is_older,
    }
    left_out = [name for name, dangles in dangling.items() if dangles]
    if not left_out:
        return description, []
    kept = replace(
        description,
        module_runs=None if dangling["module_runs"] else runs,
        parameters=None if dangling["parameters"] else parameters,
        learning_rates=None if dangling["learning_rates"] else rates,
        calls=() if dangling["calls"] else description.calls,
    )
    return kept, left_out
