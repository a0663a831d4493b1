"""Tilewright as an attention implementation of Hugging Face transformers.

    import tilewright.transformers
    tilewright.transformers.register()
    model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="tilewright")
"""

NAME = "tilewright"


def attention_forward(module, query, key, value, attention_mask, dropout=0.0, scaling=None, sliding_window=None,
                      is_causal=None, **others):
    """Attention as transformers' AttentionInterface calls it: (batch, heads, sequence, dim) tensors.

    :returns: (batch, sequence, heads, dim), and None in the place of the probabilities
    """
    from .ops import attention

    if attention_mask is not None:
        raise NotImplementedError("attention_mask is given: needed are sequences without padding, and none")
    if dropout:
        raise NotImplementedError(f"dropout is {dropout}: needed is 0; set attention_dropout=0 or call model.eval()")
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    causal = causal and query.shape[2] > 1
    window = (-1, -1) if sliding_window is None else (sliding_window - 1, 0)
    out, _ = attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), scale=scaling, causal=causal,
                       window=window, softcap=others.get("softcap") or 0.0, sinks=others.get("s_aux"))
    return out, None


def _no_mask(*_, **others):
    """Refuses padding; everything else the kernel knows without a mask."""
    mask = others.get("attention_mask")
    if mask is not None and not bool(mask.all()):
        raise NotImplementedError("attention_mask hides tokens: needed are sequences without padding")


def register(name=NAME):
    """Makes ``attn_implementation="tilewright"`` known."""
    from transformers import AttentionInterface

    AttentionInterface.register(name, attention_forward)
    try:
        from transformers import AttentionMaskInterface
    except ImportError:
        return
    AttentionMaskInterface.register(name, _no_mask)
