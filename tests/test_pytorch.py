"""Agreement with PyTorch, an implementation that shares no code with this one.

Run where PyTorch is installed. The two adapters say how our arguments are written there.
"""

import numpy as np
import pytest

import attn

torch = pytest.importorskip("torch")

TOLERANCE = {np.float64: 1e-13, np.float32: 4e-6, np.float16: 2e-3}


def scaled_dot_product_attention(q, k, v, *, visible=None, bias=None, causal=False, scale=None):
    """``attn.attention`` by ``torch.nn.functional.scaled_dot_product_attention``.

    - ``visible`` is a boolean ``attn_mask``: there, too, True means may be read.
    - ``bias`` is a float ``attn_mask``. There is room for one mask, so a hidden key
      becomes a bias of minus infinity when both are needed.
    - ``causal="start"`` is ``is_causal=True``, which may not come with a mask;
      ``"end"`` has no name there and becomes a mask.
    - Shared K/V heads need ``enable_gqa=True``.
    """
    q, k, v = (torch.from_numpy(np.ascontiguousarray(array)) for array in (q, k, v))
    n_query, n_key = q.shape[-2], k.shape[-2]
    is_causal = causal in (True, "start") and visible is None and bias is None
    if causal and not is_causal:
        mask = attn.causal_mask(n_query, n_key, align="end" if causal == "end" else "start")
        visible = mask if visible is None else visible & mask
    mask = None if visible is None else torch.from_numpy(visible)
    if bias is not None:
        mask = torch.from_numpy(bias if visible is None else np.where(visible, bias, -np.inf).astype(bias.dtype))
    shared = q.ndim > 2 and q.shape[-3] != k.shape[-3]
    return torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale, enable_gqa=shared
    )


def multihead_attention(layer, x, *, context=None, visible=None):
    """``attn.MultiHeadAttention`` by ``torch.nn.MultiheadAttention``.

    - Its boolean masks are the other way round: True means must not be read.
    - Its matrices are columns: ``in_proj_weight`` holds W_Qᵀ, W_Kᵀ and W_Vᵀ one above the other.
    """
    width = layer.w_q.shape[0]
    module = torch.nn.MultiheadAttention(width, layer.n_heads, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.concatenate([layer.w_q, layer.w_k, layer.w_v], axis=1).T))
        module.out_proj.weight.copy_(torch.from_numpy(np.array(layer.w_o.T)))
        q, k = torch.from_numpy(x), torch.from_numpy(x if context is None else context)
        mask = None if visible is None else torch.from_numpy(~visible)
        return module(q, k, k, attn_mask=mask, average_attn_weights=False)


def normal(seed, *shapes, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


SHAPES = {
    "self": ((2, 4, 7, 8), (2, 4, 7, 8), (2, 4, 7, 8)),
    "cross": ((2, 4, 5, 8), (2, 4, 9, 8), (2, 4, 9, 8)),
    "narrow values": ((2, 4, 9, 8), (2, 4, 5, 8), (2, 4, 5, 3)),
    "shared heads": ((2, 6, 7, 8), (2, 2, 7, 8), (2, 2, 7, 8)),
    "one key/value head": ((2, 6, 5, 8), (2, 1, 7, 8), (2, 1, 7, 8)),
}


@pytest.mark.parametrize("function", [attn.attention, attn.streaming_attention])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, "start", "end"])
@pytest.mark.parametrize("masks", ["", "visible", "bias", "visible bias"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_attention(function, shape, causal, masks, dtype):
    q, k, v = normal(0, *SHAPES[shape], dtype=dtype)
    table = (q.shape[-2], k.shape[-2])
    options = {"causal": causal}
    if "visible" in masks:
        options["visible"] = np.random.default_rng(1).random(table) < 0.7
    if "bias" in masks:
        options["bias"] = normal(2, table, dtype=dtype)[0]
    expected = scaled_dot_product_attention(q, k, v, **options).numpy()
    result = function(q, k, v, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("scale", [None, 0.3, 0.0, -1.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_scale_and_dtype(scale, dtype):
    q, k, v = normal(3, (3, 20, 16), (3, 20, 16), (3, 20, 16), dtype=dtype)
    expected = scaled_dot_product_attention(q, k, v, scale=scale).numpy()
    for function in (attn.attention, attn.streaming_attention):
        result = function(q, k, v, scale=scale)
        assert result.dtype == dtype
        np.testing.assert_allclose(result, expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("causal", [False, True])
def test_long(causal):
    q, k, v = normal(4, (2, 700, 64), (2, 700, 64), (2, 700, 64), dtype=np.float32)
    expected = scaled_dot_product_attention(q, k, v, causal=causal).numpy()
    for block in (None, 64, 1000):
        result = attn.streaming_attention(q, k, v, causal=causal, block=block)
        np.testing.assert_allclose(result, expected, rtol=0, atol=5e-6)


@pytest.mark.parametrize("wrong, right", [("start", "end"), ("end", "start")])
def test_the_other_alignment_is_noticed(wrong, right):
    q, k, v = normal(5, (3, 8), (5, 8), (5, 8))
    expected = scaled_dot_product_attention(q, k, v, causal=right).numpy()
    assert abs(attn.attention(q, k, v, causal=wrong) - expected).max() > 0.1


@pytest.mark.parametrize("name", ["self", "masked", "cross"])
def test_layer(name):
    w_q, w_k, w_v, w_o, x, context = normal(6, *[(12, 12)] * 4, (2, 5, 12), (2, 7, 12))
    layer = attn.MultiHeadAttention(w_q, w_k, w_v, w_o, n_heads=3)
    window = attn.window_mask(5, left=1, right=0)
    options = {"self": {}, "masked": {"visible": window}, "cross": {"context": context}}[name]
    output, weights = multihead_attention(layer, x, **options)
    steps = layer.trace(x, **options)
    np.testing.assert_allclose(steps.heads.weights, weights.numpy(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(steps.output, output.numpy(), rtol=0, atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("causal", [False, "start"])
def test_gradients(shape, causal):
    q, k, v = normal(7, *SHAPES[shape])
    (d_out,) = normal(8, (*q.shape[:-1], v.shape[-1]))
    leaves = [torch.from_numpy(array).requires_grad_() for array in (q, k, v)]
    output = torch.nn.functional.scaled_dot_product_attention(
        *leaves, is_causal=bool(causal), enable_gqa=q.shape[1] != k.shape[1]
    )
    output.backward(torch.from_numpy(d_out))
    gradients = attn.attention_backward(d_out, attn.trace(q, k, v, causal=causal))
    for name, leaf in zip("qkv", leaves):
        np.testing.assert_allclose(getattr(gradients, name), leaf.grad.numpy(), rtol=0, atol=1e-12)


def test_softmax_jacobian():
    (scores,) = normal(9, (6,))
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), torch.from_numpy(scores)).numpy()
    np.testing.assert_allclose(attn.softmax_jacobian(attn.softmax(scores)), expected, rtol=0, atol=1e-14)
