"""Gradients, meta functions and transforms of operators that are not attention, for PyTorch on any machine.

PyTorch's own results are in the place of the kernels'.
"""

import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F  # noqa: E402

from tilewright import embeddings, rotary, rows  # noqa: E402

operators = torch.ops.tilewright


def turned(x, cos, sin):
    """As transformers has it, with angles that are there once."""
    cos, sin = (torch.cat([t[..., :x.shape[-1] // 2]] * 2, -1).unsqueeze(-2) for t in (cos, sin))
    first, second = x.chunk(2, -1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


PLAIN = {
    "rope": turned,
    "embedding": lambda ids, table: torch.where(((ids >= 0) & (ids < len(table)))[..., None],
                                                table[ids.clamp(0, len(table) - 1)], 0),
    "rms_norm": lambda x, weight, bias, epsilon: F.rms_norm(x, x.shape[-1:], weight, epsilon),
    "layer_norm": lambda x, weight, bias, epsilon: F.layer_norm(x, x.shape[-1:], weight, bias, epsilon),
    "softmax": lambda x, weight, bias, epsilon: torch.softmax(x, -1),
}
GIVEN = [("rms_norm", 0), ("rms_norm", 1), ("layer_norm", 0), ("layer_norm", 1), ("layer_norm", 2), ("softmax", 0)]


@pytest.fixture(autouse=True)
def without_launches(monkeypatch):
    """Plain functions, and what calls them, compute by PyTorch, too."""
    monkeypatch.setattr(rows, "_run", lambda name, *given: PLAIN[name](*given))
    monkeypatch.setattr(rotary, "_run", turned)
    monkeypatch.setattr(embeddings, "_run", PLAIN["embedding"])


@pytest.fixture(autouse=True, scope="module")
def on_the_cpu():
    library = torch.library.Library("tilewright", "IMPL")
    for name, plain in PLAIN.items():
        library.impl(name, lambda *arguments, plain=plain: plain(*arguments).contiguous(), "CPU")
    yield
    library._destroy()


def arguments(vectors, dtype=torch.float32, shape=(3, 5, 64)):
    torch.manual_seed(29)
    x = (torch.randn(shape) * 3 + 1).to(dtype).requires_grad_()
    given = [torch.randn(shape[-1]).to(dtype).requires_grad_() for _ in range(vectors)]
    return x, *given, *[None] * (2 - vectors), 1e-3


def gradients(function, given, dy):
    inputs = [x for x in given if x is not None and not isinstance(x, float)]
    return torch.autograd.grad(function(*given), inputs, dy)


def in_doubles(name, given, dy):
    return gradients(PLAIN[name], [x if x is None or isinstance(x, float) else x.detach().double().requires_grad_()
                                   for x in given], dy.double())


@pytest.mark.parametrize("name,vectors", GIVEN)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_are_as_near_as_pytorchs(name, vectors, dtype):
    given = arguments(vectors, dtype)
    for dy in (torch.randn(3, 5, 64).to(dtype), torch.randn(64, 5, 3).to(dtype).transpose(0, 2),
               torch.ones((), dtype=dtype).expand(3, 5, 64)):
        found = gradients(getattr(operators, name), given, dy)
        plain, exact = gradients(PLAIN[name], given, dy), in_doubles(name, given, dy)
        for ours, theirs, wanted in zip(found, plain, exact, strict=True):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            error, allowed = ((x.double() - wanted).abs().max() for x in (ours, theirs))
            assert error <= 1.5 * allowed + torch.finfo(dtype).eps * wanted.abs().max()


@pytest.mark.parametrize("name,vectors", GIVEN)
def test_gradients_are_of_what_asks_for_them(name, vectors):
    given = arguments(vectors)
    inputs = given[:1 + vectors]
    dy = torch.randn(3, 5, 64)
    wanted = gradients(PLAIN[name], given, dy)
    for i, one in enumerate(inputs):
        alone = [x.detach() if torch.is_tensor(x) and x is not one else x for x in given]
        found, = torch.autograd.grad(getattr(operators, name)(*alone), one, dy)
        assert torch.allclose(found, wanted[i], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name,vectors", GIVEN)
def test_second_derivatives_are_pytorchs(name, vectors):
    given = arguments(vectors, shape=(4, 16))
    dy, weight = torch.randn(2, 4, 16)

    def second(function):
        inputs = given[:1 + vectors]
        first = torch.autograd.grad((function(*given) * dy).sum(), inputs, create_graph=True)
        return torch.autograd.grad((first[0] * weight).sum(), inputs[:2])

    for ours, theirs in zip(second(getattr(operators, name)), second(PLAIN[name]), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("name,vectors", GIVEN)
def test_operators_keep_their_promises(name, vectors):
    torch.library.opcheck(getattr(operators, name).default, arguments(vectors))


@pytest.mark.parametrize("name,vectors", GIVEN)
def test_compiled_functions_have_no_graph_breaks(name, vectors):
    torch._dynamo.reset()
    given, dy = arguments(vectors), torch.randn(3, 5, 64)

    def function(*inputs):
        return rows._call(name, inputs[0] * 2, *inputs[1:]) + 1

    found = gradients(torch.compile(function, fullgraph=True, backend="aot_eager"), given, dy)
    wanted = gradients(lambda x, *others: PLAIN[name](x * 2, *others) + 1, given, dy)
    for ours, theirs in zip(found, wanted, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name,vectors", GIVEN)
def test_a_batch_of_vmap_is_more_rows(name, vectors):
    x, weight, bias, epsilon = (y.detach() if torch.is_tensor(y) else y for y in arguments(vectors))
    found = torch.vmap(lambda x: rows._call(name, x, weight, bias, epsilon), in_dims=1, out_dims=1)(x)
    assert torch.allclose(found, PLAIN[name](x, weight, bias, epsilon), atol=1e-6)
    if vectors:
        with pytest.raises(NotImplementedError, match=f"vmap of {name} over weight or bias: needed is vmap over x"):
            torch.vmap(lambda w: getattr(operators, name)(x, w, bias, epsilon))(torch.randn(2, 64))


def test_vectors_have_the_type_of_x_under_autocast(monkeypatch):
    x, weight, bias, _ = arguments(2)
    half = x.detach().bfloat16().requires_grad_()
    seen = []
    monkeypatch.setattr(rows, "_run", lambda name, *given: seen.append(given) or PLAIN[name](*given))
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda: True)
    y = rows.layer_norm(half, weight, bias)
    assert y.dtype is torch.bfloat16 and [v.dtype for v in seen[0][:3]] == [torch.bfloat16] * 3
    found = torch.autograd.grad(y, (half, weight, bias), torch.ones_like(y))
    assert [g.dtype for g in found] == [torch.bfloat16, torch.float32, torch.float32]


def heads(dtype=torch.float32, table=(2, 5, 8)):
    torch.manual_seed(29)
    angles = torch.randn(table) * 3
    return torch.randn(2, 5, 3, 16).to(dtype).requires_grad_(), angles.cos(), angles.sin()


@pytest.mark.parametrize("table", [(5, 8), (1, 5, 16), (2, 5, 8)])
def test_rope_turns_gradients_back(table):
    x, cos, sin = heads(torch.float64, table)
    for function in (rotary.rope, operators.rope):
        assert torch.autograd.gradcheck(lambda x: function(x, cos, sin), x)
        assert torch.autograd.gradgradcheck(lambda x: function(x, cos, sin), x)
    torch.library.opcheck(operators.rope.default, heads(table=table))
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: rotary.rope(x * 2, cos, sin), fullgraph=True, backend="aot_eager")
    found, = torch.autograd.grad(compiled(x), x, torch.ones_like(x))
    wanted, = torch.autograd.grad(turned(x * 2, cos, sin), x, torch.ones_like(x))
    assert torch.allclose(found, wanted)


@pytest.mark.parametrize("table", [(5, 8), (1, 5, 16), (2, 5, 8)])
def test_entries_of_vmap_are_more_of_the_batch(table):
    x, cos, sin = (y.detach() for y in heads(table=table))
    many = torch.stack([x, 2 * x, x + 1], 2)
    found = torch.vmap(lambda x: rotary.rope(x, cos, sin), in_dims=2, out_dims=2)(many)
    assert torch.allclose(found, torch.stack([turned(y, cos, sin) for y in many.unbind(2)], 2), atol=1e-6)
    with pytest.raises(NotImplementedError, match="vmap of rope over cos or sin"):
        torch.vmap(lambda c: rotary.rope(x, c, sin))(torch.stack([cos, cos]))


def test_rope_has_no_gradients_of_angles():
    x, cos, sin = heads()
    for function in (rotary.rope, operators.rope):
        with pytest.raises(NotImplementedError, match="no gradients of cos and sin: needed are tables without"):
            function(x, cos.requires_grad_(), sin).sum().backward()


def numbered(dtype=torch.float32, ids=torch.int64):
    torch.manual_seed(29)
    return torch.randint(0, 9, (4, 30), dtype=ids), torch.randn(12, 16).to(dtype).requires_grad_()


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_gradients_of_rows_of_a_table_are_added(kind):
    ids, table = numbered(torch.float64, kind)
    with_others = ids.clone()
    with_others[0, :3] = torch.tensor([-100, 12, 5])
    for function in (embeddings.embedding, operators.embedding):
        assert torch.autograd.gradcheck(lambda t: function(with_others, t), table)
        dy = torch.randn(4, 30, 16, dtype=torch.float64)
        found, = torch.autograd.grad(function(ids, table), table, dy)
        wanted, = torch.autograd.grad(F.embedding(ids, table), table, dy)
        assert torch.allclose(found, wanted) and not found[9:].any()
    torch.library.opcheck(operators.embedding.default, numbered())
    torch._dynamo.reset()
    compiled = torch.compile(lambda t: embeddings.embedding(ids, t * 2), fullgraph=True, backend="aot_eager")
    assert torch.allclose(torch.autograd.grad(compiled(table), table, dy)[0], 2 * wanted)


def test_a_batch_of_vmap_is_more_ids():
    ids, table = numbered()
    found = torch.vmap(lambda i: embeddings.embedding(i, table.detach()), in_dims=1, out_dims=1)(ids)
    assert torch.equal(found, F.embedding(ids, table))
    with pytest.raises(NotImplementedError, match="vmap of embedding over the table"):
        torch.vmap(lambda t: embeddings.embedding(ids, t))(torch.stack([table, table]).detach())
