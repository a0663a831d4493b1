"""Makes a randomly initialised Llama with transformers, and records what it computes.

    python3 record.py OUTDIR                                   a tiny model: the test's resources
    python3 record.py OUTDIR --large                           1.1 billion weights
    python3 record.py OUTDIR --large --time                    and tokens per second of generate()

OUTDIR gets config.json and model.safetensors (bf16) as transformers saves them, and
    expected.json          prompts, the tokens that greedy decoding chooses, versions
    logits.safetensors     of every position of prompt and tokens, (batch, positions, vocabulary): "fp32" computed in
                           FP32 from the bf16 weights, "bf16" computed in bf16
    timing.json            with --time: tokens per second for each batch and way of decoding
Needs torch, transformers and safetensors.
"""
import argparse
import copy
import json
import pathlib
import statistics
import time

import safetensors.torch
import torch
import transformers

TINY = dict(hidden=32, layers=2, heads=4, kv_heads=2, head_dim=32, intermediate=64, vocab=96)
LARGE = dict(hidden=2048, layers=16, heads=32, kv_heads=8, head_dim=64, intermediate=8192, vocab=32000)
BATCHES = (1, 32)
TRIES = 200


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--large", action="store_true", help="sizes of a model with 1.1 billion weights")
    for name in TINY:
        parser.add_argument("--" + name.replace("_", "-"), type=int, help=f"{TINY[name]}, or {LARGE[name]} if large")
    parser.add_argument("--rope-theta", type=float, default=10000.0)
    parser.add_argument("--tie", action="store_true", help="the embedding is the LM head too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=2, help="recorded prompts")
    parser.add_argument("--prompt", type=int, default=7, help="tokens of a recorded prompt")
    parser.add_argument("--tokens", type=int, default=8, help="recorded tokens after it")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--time", action="store_true", help="time generate()")
    parser.add_argument("--time-prompt", type=int, default=128)
    parser.add_argument("--time-tokens", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    for name, value in (LARGE if chosen.large else TINY).items():
        if getattr(chosen, name) is None:
            setattr(chosen, name, value)
    return chosen


def make(a):
    """A model of bf16 weights for which every part counts: norm weights too, which transformers would leave at 1."""
    config = transformers.LlamaConfig(
        hidden_size=a.hidden, num_hidden_layers=a.layers, num_attention_heads=a.heads, num_key_value_heads=a.kv_heads,
        head_dim=a.head_dim, intermediate_size=a.intermediate, vocab_size=a.vocab, rope_theta=a.rope_theta,
        tie_word_embeddings=a.tie, rms_norm_eps=1e-5, max_position_embeddings=4096, bos_token_id=None,
        eos_token_id=None, pad_token_id=None)
    torch.manual_seed(a.seed)
    model = transformers.LlamaForCausalLM(config).to(a.device).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.uniform_(0.5, 1.5)
            elif "embed_tokens" in name:
                weight.normal_(0, a.hidden ** -0.5 if a.tie else 1)
            else:
                weight.normal_(0, weight.shape[1] ** -0.5)
        # Not model.to(): that rounds the frequencies of RoPE as well.
        for weight in model.parameters():
            weight.data = weight.data.to(torch.bfloat16)
    return model


@torch.no_grad()
def greedy(model, prompt, count):
    """The prompt and the tokens chosen after it, without a cache, and the smallest lead of a chosen token."""
    ids, lead = prompt, float("inf")
    for _ in range(count):
        best = model(ids, use_cache=False).logits[:, -1].float().topk(2)
        lead = min(lead, (best.values[:, 0] - best.values[:, 1]).min().item())
        ids = torch.cat([ids, best.indices[:, :1]], dim=1)
    return ids, lead


@torch.no_grad()
def record(a, model):
    exact = copy.deepcopy(model).float()
    generator = torch.Generator().manual_seed(a.seed)
    best = None
    # Rounding must not change a choice, or two correct programs would go on with different texts.
    for _ in range(TRIES):
        prompt = torch.randint(0, a.vocab, (a.batch, a.prompt), generator=generator).to(a.device)
        ids, lead = greedy(exact, prompt, a.tokens)
        logits = {"fp32": exact(ids[:, :-1], use_cache=False).logits.float(),
                  "bf16": model(ids[:, :-1], use_cache=False).logits.float()}
        error = (logits["bf16"] - logits["fp32"]).abs().max().item()
        if best is None or lead / error > best["lead"] / best["error"]:
            best = dict(ids=ids, logits=logits, lead=lead, error=error)
        if best["lead"] > 4 * best["error"]:
            break
    safetensors.torch.save_file({name: t.cpu().contiguous() for name, t in best["logits"].items()},
                                str(a.out / "logits.safetensors"))
    ids = best["ids"].cpu()
    write(a.out / "expected.json", {
        "prompt": ids[:, :a.prompt].tolist(), "tokens": ids[:, a.prompt:].tolist(), "smallestLead": best["lead"],
        "largestErrorOfBf16": best["error"], **versions(a)})


def versions(a):
    device = torch.cuda.get_device_name() if a.device.startswith("cuda") else a.device
    return {"transformers": transformers.__version__, "torch": torch.__version__, "device": device}


def time_generate(a, model):
    ways = {
        "dynamic cache": {},
        "static cache": dict(cache_implementation="static", disable_compile=True),
        "static cache, compiled": dict(cache_implementation="static"),
    }
    rows = []
    for batch in BATCHES:
        prompt = torch.randint(0, a.vocab, (batch, a.time_prompt), generator=torch.Generator().manual_seed(2))
        prompt = prompt.to(a.device)
        for way, options in ways.items():
            row = {"batch": batch, "way": way, "prompt": a.time_prompt, "tokens": a.time_tokens}
            try:
                torch.compiler.reset()
                one = median(a, model, prompt, 1, options)
                all_tokens = median(a, model, prompt, a.time_tokens, options)
                row["secondsOfFirstToken"] = one
                row["seconds"] = all_tokens
                row["tokensPerSecond"] = batch * a.time_tokens / all_tokens
                row["decodeTokensPerSecond"] = batch * (a.time_tokens - 1) / (all_tokens - one)
            except Exception as e:  # a way that this version of transformers lacks
                row["failed"] = f"{type(e).__name__}: {e}"[:500]
            print(json.dumps(row), flush=True)
            rows.append(row)
    weights = sum(p.numel() for p in model.parameters())
    write(a.out / "timing.json", {"weights": weights, "attention": model.config._attn_implementation, **versions(a),
                                  "rows": rows})


def median(a, model, prompt, tokens, options):
    seconds = []
    for turn in range(a.repeats + 2):
        synchronize(a)
        begin = time.perf_counter()
        out = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=tokens,
                             min_new_tokens=tokens, do_sample=False, **options)
        synchronize(a)
        if turn > 1:
            seconds.append(time.perf_counter() - begin)
        if out.shape[1] != prompt.shape[1] + tokens:
            raise AssertionError(f"{out.shape[1] - prompt.shape[1]} tokens instead of {tokens}")
    return statistics.median(seconds)


def synchronize(a):
    if a.device.startswith("cuda"):
        torch.cuda.synchronize()


def write(file, value):
    file.write_text(json.dumps(value, indent=1) + "\n")


def main():
    a = arguments()
    a.out.mkdir(parents=True, exist_ok=True)
    model = make(a)
    model.save_pretrained(a.out, max_shard_size="100GB")
    record(a, model)
    if a.time:
        time_generate(a, model)
    print("wrote", a.out)


main()
