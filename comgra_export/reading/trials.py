"""The trials at a path, by their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from comgra_export.errors import UnknownTrialError
from comgra_export.reading.trial import Trial
from comgra_export.storage.text.names import names_instead, shown

__all__ = ["Trials"]


class Trials(Mapping[str, Trial]):
    """Trials by `GROUP/TRIAL`, in the order of their groups and names. `trials["big lr"]` works too if one group only has such a trial."""

    def __init__(self, trials: Mapping[str, Trial]) -> None:
        self._trials = dict(trials)

    def __getitem__(self, name: str) -> Trial:
        """The trial of a name.

        Raises:
            UnknownTrialError: There is none, or there are several. It is a `KeyError` too.
        """
        return self._trials[self.full_name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._trials)

    def __len__(self) -> int:
        return len(self._trials)

    def __repr__(self) -> str:
        return repr(self._trials)

    def full_name(self, name: str) -> str:
        """The name of a trial with its group.

        Args:
            name: Its name, with its group or without it.

        Raises:
            UnknownTrialError: There is no such trial; the message says which there are. Or several groups have one.
        """
        if name in self._trials:
            return name
        matching = [full for full, trial in self._trials.items() if trial.name == name]
        if len(matching) > 1:
            raise UnknownTrialError(f"{len(matching)} trials are called {name!r}. Give one of them: {', '.join(map(repr, matching))}.")
        if not matching:
            raise UnknownTrialError(f"There is no trial {shown(name)}. {names_instead(str(name), list(self._trials)) or ''}".rstrip())
        return matching[0]
