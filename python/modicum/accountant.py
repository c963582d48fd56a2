"""An accountant of training steps, as the accountants of Opacus are called."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Optional

from . import _core
from .commands import command
from .losses import Loss, loss


def import_description(history: Any, *, adjacency: str, symmetric: bool = False) -> dict[str, Any]:
    """A history from another tool as a description, for :func:`loss`.

    ``history`` is an event of dp_accounting, or its text; the ``history`` of an accountant of Opacus, or
    the accountant; a privacy loss distribution as a dictionary with ``pessimistic_pmf``, or with
    ``pmf_remove`` and ``pmf_add``; or the path of a file with one of them. None of them says which data
    sets are neighbors, so ``adjacency`` does: "add_remove", "replace_one" or "zero_out". With one
    direction alone ``symmetric`` says that the other has the same loss.

    >>> import_description([(1.0, 0.01, 1000)], adjacency="add_remove")["sampling_rate"]
    0.01
    """
    if isinstance(history, PrivacyAccountant):
        if adjacency != "add_remove":
            raise _core.InvalidParameter(f"adjacency is {adjacency!r}, but must be that of the accountant, add_remove")
        return history.description()
    if not isinstance(history, (str, Mapping, list, tuple)) and not hasattr(history, "__fspath__"):
        history = getattr(history, "history", None) or repr(history)
    if isinstance(history, str) and any(mark in history for mark in "([{"):
        history = {"text": history}
    answer = command("import", history, adjacency=adjacency, symmetric=symmetric).as_dict()
    description: dict[str, Any] = answer["description"]
    return description


class PrivacyAccountant:
    """What Poisson-sampled steps with Gaussian noise cost, proved.

    It has the methods of ``opacus.accountants.IAccountant`` and fits into the registry of Opacus as it is:

        opacus.accountants.registry.register_accountant("modicum", modicum.PrivacyAccountant)
        engine = opacus.PrivacyEngine(accountant="modicum")

    Opacus need not be installed. Neighbors differ by adding or removing a record.

    >>> accountant = PrivacyAccountant()
    >>> for _ in range(1000):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> accountant.get_epsilon(1e-5)
    1.8282366...
    """

    def __init__(self) -> None:
        #: (noise multiplier, sampling rate, number of steps), in their order.
        self.history: list[tuple[float, float, int]] = []
        self._others: list[Loss] = []
        self._parts: list[Any] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """One step of this noise and sampling rate. Raises ValueError for bad values."""
        noise, rate = float(noise_multiplier), float(sample_rate)
        if self.history and self.history[-1][:2] == (noise, rate):
            self.history[-1] = (noise, rate, self.history[-1][2] + 1)
            return
        if not (noise > 0.0 and noise < float("inf")):
            raise _core.InvalidParameter(
                f"noise_multiplier is {noise}, but must be positive and finite: without noise there is no privacy")
        if not 0.0 <= rate <= 1.0:
            raise _core.InvalidParameter(f"sample_rate is {rate}, but must be from 0 to 1")
        self.history.append((noise, rate, 1))

    def compose(self, event: Any, count: int = 1) -> PrivacyAccountant:
        """Adds anything else: a loss, a description, or an event of dp_accounting."""
        if isinstance(event, Loss):
            part: Any = event
        elif isinstance(event, Mapping) and ("mechanism" in event or "compose" in event):
            part = dict(event)
        else:
            part = import_description(event, adjacency="add_remove")
        if isinstance(part, Loss):
            self._others.append(part.repeated(count))
        else:
            repeated = {"compose": [part], "count": count}
            loss(repeated)  # whatever it refuses
            self._parts.append(repeated)
        return self

    def loss(self) -> Loss:
        """The loss of all that was done so far."""
        parts = list(self._parts)
        if self.history:
            parts.append(import_description(self.history, adjacency="add_remove"))
        total = loss({"compose": parts}) if parts else None
        for other in self._others:
            total = other if total is None else total + other
        return loss({"mechanism": "pure", "epsilon": 0}) if total is None else total

    def description(self) -> dict[str, Any]:
        """All that was done so far, as a description. Raises ValueError if there are losses among it that
        have none."""
        if self._others:
            raise _core.InvalidParameter("the accountant has losses that were composed as such: they have no description")
        parts: list[dict[str, Any]] = list(self._parts)
        if self.history:
            parts.append(import_description(self.history, adjacency="add_remove"))
        if not parts:
            return {"mechanism": "pure", "epsilon": 0}
        return parts[0] if len(parts) == 1 else {"compose": parts}

    def get_epsilon(self, delta: float, *, mode: str = "automatic", **_: Any) -> float:
        """The least epsilon at this delta, rounded upwards. What else Opacus hands to its accountants
        (orders, errors) is not needed and is ignored."""
        return float(self.loss().epsilon(delta, mode=mode))

    def get_delta(self, epsilon: float, *, mode: str = "automatic") -> float:
        """delta at this epsilon, rounded upwards."""
        return float(self.loss().delta(epsilon, mode=mode))

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name in the registry."""
        return "modicum"

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """For DPOptimizer: a step for each of its steps, whose rate grows with accumulated batches."""
        def hook(optimizer: Any) -> None:
            self.step(noise_multiplier=optimizer.noise_multiplier,
                      sample_rate=sample_rate * optimizer.accumulated_iterations)
        return hook

    def state_dict(self, destination: Optional[MutableMapping[str, Any]] = None) -> MutableMapping[str, Any]:
        """The history, for a checkpoint. What :meth:`compose` has added must be descriptions or events."""
        if self._others:
            raise _core.InvalidParameter(
                "state_dict has a loss at hand, but must have descriptions: compose its description instead")
        state: MutableMapping[str, Any] = OrderedDict() if destination is None else destination
        state["history"] = list(self.history)
        state["mechanism"] = self.mechanism()
        if self._parts:
            state["parts"] = list(self._parts)
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replaces what was done so far. Raises ValueError if it is not such a state, and then changes nothing."""
        if not state_dict:
            raise _core.InvalidParameter("state_dict is empty, but must be that of an accountant")
        for key in ("history", "mechanism"):
            if key not in state_dict:
                raise _core.InvalidParameter(f"{key} is missing in state_dict, but must be given")
        # Opacus stores the method where others store its name.
        named = state_dict["mechanism"]
        if (named() if callable(named) else named) not in ("modicum", "rdp", "prv", "gdp"):
            raise _core.InvalidParameter(f"mechanism is {named!r}, but must be modicum, rdp, prv or gdp")
        other = PrivacyAccountant()
        for noise, rate, steps in state_dict["history"]:
            if int(steps) != steps or steps < 1:
                raise _core.InvalidParameter(f"steps are {steps}, but must be a whole number of at least 1")
            other.step(noise_multiplier=noise, sample_rate=rate)
            last = other.history[-1]
            other.history[-1] = (last[0], last[1], last[2] - 1 + int(steps))
        for part in state_dict.get("parts", []):
            loss(part)
            other._parts.append(dict(part))
        self.history, self._others, self._parts = other.history, other._others, other._parts
