"""Attention on a part of the keys, whose rows keep their largest score and their sum of exponentials apart: parts are
merged without the rounding of logarithms, in context parallelism for example. It has no gradients.
"""

import torch

from ._cache import form
from ._torch import PLAIN, New, Plans, current_device, is_tracing, is_transforming, keeps_gradients, register
from .ops import Forward, bounds, cast, normal, row_shape

_plans = Plans()


class _Apart(Forward):
    """The forward launches of a problem, which store maxima in the place of logarithms."""

    NAMES = (*Forward.NAMES[:-1], "sums")
    RESULTS = ("apart",)

    def __init__(self, q, k, v, options):
        super().__init__(q, k, v, None, options, None, 0)
        self.sums = New(row_shape(q), torch.float32)

    def run(self, q, k, v, addresses):
        """Enqueues the launches; gives O, the maxima and the sums."""
        if self.ordinal != current_device():
            with torch.cuda.device(self.ordinal):
                return self.run(q, k, v, addresses)
        sums = self.sums.tensor()
        o, maxima = super().run(q, k, v, sums, addresses)
        return o, maxima, sums.zero_() if self.empty else sums


def _run(q, k, v, scale, causal, left, right):
    options = scale, causal, left, right, False, 0.0
    key = (*map(form, (q, k, v)), options)
    plan = _plans.known.get(key)
    if plan is None:
        plan = _plans.known[key] = _Apart(q, k, v, options)
    return plan.run(q, k, v, (q.data_ptr(), k.data_ptr(), v.data_ptr()))


def _fake(q, k, v, *_):
    rows = row_shape(q)
    return (q.new_empty((*q.shape[:-1], v.shape[-1])), q.new_empty(rows, dtype=torch.float32),
            q.new_empty(rows, dtype=torch.float32))


def _no_gradients(ctx, *_):
    raise NotImplementedError("attention with maxima and sums has no gradients: needed are tensors without "
                              "requires_grad, or attention")


register("attention_states",
         "(Tensor q, Tensor k, Tensor v, float scale, bool causal, int left, int right) -> (Tensor, Tensor, Tensor)",
         _run, _fake, _no_gradients)


def attention_states(q, k, v, *, scale=None, causal=False, window=(-1, -1)):
    """Attention of (batch, sequence, heads, dim) tensors on a part of the keys, for merging with that on other parts.

    :param scale: of scores; None is 1 / √dim
    :param window: keys before and behind a query's position that it sees; -1 is all
    :returns: O, and FP32 (batch, heads, queries) twice: the rows' largest scores, scaled, and their sums of
        e^(score - largest); without keys 0, -inf and 0
    """
    if q.dtype is torch.float32:
        q, k, v = cast(q, k, v)
    scale, causal, left, right, _, _ = normal((scale, causal, *bounds(window), False, 0.0), q.shape[-1])
    given = q, k, v, scale, causal, left, right
    if is_tracing() or type(q) not in PLAIN or is_transforming():
        return torch.ops.tilewright.attention_states(*given)
    if keeps_gradients() and any(x.requires_grad for x in (q, k, v)):
        _no_gradients(None)
    return _run(*given)
