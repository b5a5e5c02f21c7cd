"""Count the host's waits in one call of each operation of the table, on a CUDA machine.

usage: python measure.py > named-h200.txt

Each line: canonical name, number of blocking runtime calls (cuda{Stream,Device,Event}Synchronize) the profiler saw in
one warmed-up call on device operands. Operations that raise are left out and named on stderr.
"""
import sys
import torch
import torch.nn.functional as F
from torch.profiler import ProfilerActivity, profile

dev = "cuda"
x = torch.rand(16, 16, device=dev) * 0.9 + 0.05
y = torch.rand(16, 16, device=dev) + 0.1
v = torch.rand(16, device=dev)
i = torch.arange(16, device=dev)
ii = i.view(16, 1) % 4
idx = torch.tensor([0, 2, 3, 1], device=dev)
m = x > 0.5
b = torch.randint(0, 9, (16, 16), device=dev)
spd = x @ x.t() + 16 * torch.eye(16, device=dev)
img = torch.rand(2, 3, 8, 8, device=dev)
z = torch.randn(16, 16, device=dev, dtype=torch.complex64)

UNARY = """abs absolute neg negative positive sign sgn square sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin
acos atan sinh cosh tanh asinh acosh atanh sigmoid logit reciprocal ceil floor trunc frac round erf erfc erfinv lgamma
digamma i0 sinc deg2rad rad2deg relu conj isnan isinf isfinite isposinf isneginf isreal signbit logical_not sum nansum
mean nanmean prod amax amin std var norm argmax argmin count_nonzero max min median nanmedian aminmax msort sort argsort
nan_to_num tril triu any all trace flatten ravel squeeze detach clone numel inverse nonzero argwhere unique
unique_consecutive histc det logdet slogdet qr svd pinverse cov corrcoef is_nonzero is_floating_point""".split()
BINARY = """add sub mul div true_divide floor_divide remainder fmod pow float_power atan2 maximum minimum fmax fmin hypot
copysign nextafter heaviside xlogy logaddexp logaddexp2 eq ne lt le gt ge isclose logical_and logical_or logical_xor
matmul mm dist equal allclose kron""".split()
INPLACE = [n + "_" for n in """abs neg sign square sqrt rsqrt exp log sin cos tanh sigmoid reciprocal ceil floor round
relu zero erf trunc frac nan_to_num uniform normal exponential bernoulli random cauchy log_normal tril triu
detach""".split()]
BITS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm".split()
EXPR = {
    "cumsum": "0", "cumprod": "0", "logcumsumexp": "0", "cummax": "0", "cummin": "0", "softmax": "0",
    "log_softmax": "0", "logsumexp": "0", "topk": "3", "kthvalue": "2", "mode": "0", "quantile": "0.5", "diff": "",
    "unsqueeze": "0", "transpose": "0, 1", "permute": "(1, 0)", "movedim": "0, 1", "chunk": "2", "unbind": "0",
    "split": "4", "narrow": "0, 1, 2", "select": "0, 1", "roll": "1", "flip": "(0,)", "diagonal": "", "tile": "(2, 2)",
    "repeat_interleave": "2", "index_select": "0, idx", "gather": "1, ii", "take": "idx", "take_along_dim": "ii, 1",
    "index_fill": "0, idx, 1.0", "masked_fill": "m, 0.0", "masked_select": "m", "masked_scatter": "m, y",
    "scatter_add": "1, ii, y", "index_add": "0, idx, y[:4]", "index_copy": "0, idx, y[:4]", "scatter": "1, ii, 1.0",
    "clamp": "0.1, 0.9", "lerp": "y, 0.5", "addcmul": "y, y", "addcdiv": "y, y", "renorm": "2, 0, 1.0",
    "multinomial": "2", "bernoulli": "", "split_with_sizes": "[8, 8]", "cross": "torch.rand(16, 3, device=dev)",
}
METHOD = {
    "item": "v[0].item()", "tolist": "x.tolist()", "cpu": "x.cpu()", "numpy": "x.numpy(force=True)", "contiguous":
    "x.t().contiguous()", "float": "x.half().float()", "long": "x.long()", "bool": "x.bool()", "type_as": "x.type_as(b)",
    "expand": "v.expand(4, 16)", "view": "x.view(-1)", "reshape": "x.reshape(-1)", "repeat": "x.repeat(2, 2)",
    "new_zeros": "x.new_zeros(4)", "new_ones": "x.new_ones(4)", "new_empty": "x.new_empty(4)", "new_full":
    "x.new_full((4,), 1.0)", "new_tensor": "x.new_tensor([1.0])", "masked_fill_": "x.clone().masked_fill_(m, 0.5)",
    "scatter_": "x.clone().scatter_(1, ii, 1.0)", "scatter_add_": "x.clone().scatter_add_(1, ii, y)", "index_add_":
    "x.clone().index_add_(0, idx, y[:4])", "index_copy_": "x.clone().index_copy_(0, idx, y[:4])", "index_put_":
    "x.clone().index_put_((idx,), y[:4])", "put_": "x.clone().put_(idx, v[:4])", "fill_diagonal_": "x.clone().fill_diagonal_(1.0)",
    "masked_scatter_": "x.clone().masked_scatter_(m, y)", "unfold": "v.unfold(0, 4, 2)", "size": "x.size()", "dim": "x.dim()",
    "stride": "x.stride()", "is_contiguous": "x.is_contiguous()", "data_ptr": "x.data_ptr()", "to_sparse":
    "x.to_sparse()", "__bool__": "bool(v[0] > 0)", "__int__": "int(v[0])", "__float__": "float(v[0])", "__contains__":
    "1.0 in v", "__len__": "len(x)", "unflatten": "v.unflatten(0, (4, 4))", "as_strided": "v.as_strided((4,), (1,))",
    "where": "x.where(m, y)", "addmm_": "x.clone().addmm_(y, y)", "record_stream": "x.record_stream(torch.cuda.current_stream())",
}
FUNC = {
    "torch.where": "torch.where(m, x, y)", "torch.cat": "torch.cat([x, y])", "torch.stack": "torch.stack([x, y])",
    "torch.hstack": "torch.hstack([x, y])", "torch.vstack": "torch.vstack([x, y])", "torch.block_diag":
    "torch.block_diag(x, y)", "torch.meshgrid": "torch.meshgrid(v, v, indexing='ij')", "torch.einsum":
    "torch.einsum('ij,jk->ik', x, y)", "torch.tensordot": "torch.tensordot(x, y, 1)", "torch.cdist": "torch.cdist(x, y)",
    "torch.outer": "torch.outer(v, v)", "torch.searchsorted": "torch.searchsorted(v.sort().values, v)",
    "torch.bucketize": "torch.bucketize(v, v.sort().values)", "torch.bincount": "torch.bincount(i)",
    "torch.zeros": "torch.zeros(4, device=dev)", "torch.ones": "torch.ones(4, device=dev)", "torch.empty":
    "torch.empty(4, device=dev)", "torch.full": "torch.full((4,), 1.0, device=dev)", "torch.arange":
    "torch.arange(9, device=dev)", "torch.linspace": "torch.linspace(0, 1, 9, device=dev)", "torch.eye":
    "torch.eye(4, device=dev)", "torch.tril_indices": "torch.tril_indices(4, 4, device=dev)", "torch.hann_window":
    "torch.hann_window(16, device=dev)", "torch.zeros_like": "torch.zeros_like(x)", "torch.ones_like":
    "torch.ones_like(x)", "torch.empty_like": "torch.empty_like(x)", "torch.full_like": "torch.full_like(x, 1.0)",
    "torch.rand_like": "torch.rand_like(x)", "torch.randn_like": "torch.randn_like(x)", "torch.randint_like":
    "torch.randint_like(x, 5)", "torch.rand": "torch.rand(4, device=dev)", "torch.randn": "torch.randn(4, device=dev)",
    "torch.randint": "torch.randint(0, 5, (4,), device=dev)", "torch.randperm": "torch.randperm(16, device=dev)",
    "torch.normal": "torch.normal(v, v)", "torch.isin": "torch.isin(x, y[:1])", "torch.poisson": "torch.poisson(x)", "torch.tensor":
    "torch.tensor([1, 2], device=dev)", "torch.as_tensor": "torch.as_tensor([1, 2], device=dev)", "torch.asarray":
    "torch.asarray([1, 2], device=dev)", "torch.scalar_tensor": "torch.scalar_tensor(2.0, device=dev)",
    "torch.combinations": "torch.combinations(v)", "torch.cartesian_prod": "torch.cartesian_prod(v, v)",
    "torch.polar": "torch.polar(x, y)", "torch.complex": "torch.complex(x, y)", "torch.view_as_real":
    "torch.view_as_real(z)", "torch.view_as_complex": "torch.view_as_complex(torch.view_as_real(z))",
    "torch.cuda.synchronize": "torch.cuda.synchronize()", "torch.equal": "torch.equal(x, y)",
    "torch.testing.assert_close": "torch.testing.assert_close(x, x + 0)", "torch._assert_async":
    "torch._assert_async(m.any() | True)", "torch.std_mean": "torch.std_mean(x)", "torch.var_mean": "torch.var_mean(x)",
    "torch.histogramdd": "torch.histogramdd(x[:, :2], bins=[4, 4])", "torch.nonzero_static":
    "torch.nonzero_static(x, size=4)", "torch.broadcast_to": "torch.broadcast_to(v, (4, 16))",
    "torch.sparse_coo_tensor": "torch.sparse_coo_tensor(ii.t(), v, (16,))", "torch.trapezoid": "torch.trapezoid(x)",
    "torch.addmm": "torch.addmm(x, x, y)", "torch.baddbmm": "torch.baddbmm(x[None], x[None], y[None])",
}
LINALG = {n: "spd" for n in """inv solve:v cholesky lu_factor lu ldl_factor lstsq:y svd eig svdvals eigvals eigvalsh eigh
pinv matrix_rank cond inv_ex cholesky_ex solve_ex:v lu_factor_ex ldl_factor_ex qr det slogdet norm vector_norm
matrix_norm matrix_power:2 matrix_exp multi_dot matmul:y cross vander tensorinv""".split()}
FUNCTIONAL = {n: "x" for n in """relu relu6 elu selu celu gelu silu mish leaky_relu hardswish hardsigmoid hardtanh
softplus softsign tanhshrink softshrink hardshrink logsigmoid softmax log_softmax softmin gumbel_softmax normalize
dropout glu alpha_dropout""".split()}
NN = {
    "layer_norm": "F.layer_norm(x, (16,))", "rms_norm": "F.rms_norm(x, (16,))", "group_norm": "F.group_norm(img, 3)",
    "batch_norm": "F.batch_norm(img, torch.zeros(3, device=dev), torch.ones(3, device=dev))", "instance_norm":
    "F.instance_norm(img)", "linear": "F.linear(x, y)", "embedding": "F.embedding(i, x)", "embedding_bag":
    "F.embedding_bag(ii, x)", "one_hot": "F.one_hot(i)", "scaled_dot_product_attention":
    "F.scaled_dot_product_attention(x[None], y[None], y[None])", "conv1d": "F.conv1d(img[0], img[0, :, :3])",
    "max_pool2d": "F.max_pool2d(img, 2)", "avg_pool2d": "F.avg_pool2d(img, 2)", "adaptive_avg_pool2d":
    "F.adaptive_avg_pool2d(img, 2)", "interpolate": "F.interpolate(img, scale_factor=2)", "pad": "F.pad(x, (1, 1))",
    "pixel_shuffle": "F.pixel_shuffle(torch.rand(1, 4, 4, 4, device=dev), 2)", "unfold": "F.unfold(img, 3)",
    "cross_entropy": "F.cross_entropy(x, i)", "nll_loss": "F.nll_loss(x, i)", "mse_loss": "F.mse_loss(x, y)", "l1_loss":
    "F.l1_loss(x, y)", "smooth_l1_loss": "F.smooth_l1_loss(x, y)", "binary_cross_entropy_with_logits":
    "F.binary_cross_entropy_with_logits(x, y)", "kl_div": "F.kl_div(x, y)", "cosine_similarity":
    "F.cosine_similarity(x, y)", "pairwise_distance": "F.pairwise_distance(x, y)", "pdist": "F.pdist(x)",
    "grid_sample": "F.grid_sample(img, torch.rand(2, 4, 4, 2, device=dev), align_corners=False)",
}


def cases():
    for n in UNARY:
        yield "torch." + n, f"torch.{n}(x if {n!r} != 'is_nonzero' else v[0])"
        yield "Tensor." + n, f"(x if {n!r} != 'is_nonzero' else v[0]).{n}()"
    for n in BINARY:
        yield "torch." + n, f"torch.{n}(x, y)"
        yield "Tensor." + n, f"x.{n}(y)"
    for n in BITS:
        yield "torch." + n, f"torch.{n}(b, b)"
        yield "Tensor." + n, f"b.{n}(b)"
    for n in INPLACE:
        yield "Tensor." + n, f"x.clone().{n}()"
    for n, a in EXPR.items():
        yield "torch." + n, f"torch.{n}(x, {a})"
        yield "Tensor." + n, f"x.{n}({a})"
    for n, e in METHOD.items():
        yield "Tensor." + n, e
    yield from FUNC.items()
    for n, a in LINALG.items():
        n, _, second = n.partition(":")
        arg = "[spd, y]" if n == "multi_dot" else "spd[:, :3]" if n == "cross" else a
        yield "torch.linalg." + n, f"torch.linalg.{n}({arg}{', ' + (second or arg) if second or n == 'cross' else ''})"
    for n, a in FUNCTIONAL.items():
        yield "torch.nn.functional." + n, f"F.{n}({a})"
    for n, e in NN.items():
        yield "torch.nn.functional." + n, e
    for n in "fft ifft rfft fft2 fftn fftshift".split():
        yield "torch.fft." + n, f"torch.fft.{n}(x)"
    for n in "expit erf gammaln ndtr i1 entr".split():
        yield "torch.special." + n, f"torch.special.{n}(x)"


def waits(code):
    for _ in range(3):
        eval(code)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        with torch.profiler.record_function("gatebot_op"):
            eval(code)
        # the profiler's own wait at its end lies after this mark
    span = [e for e in p.events() if e.name == "gatebot_op"][0].time_range
    names = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize")
    return sum(1 for e in p.events() if e.name in names and span.start <= e.time_range.start <= span.end)


print(f"# waits in one call, {torch.cuda.get_device_name()}, torch {torch.__version__}; written by measure.py")
seen = set()
for name, code in cases():
    if name in seen:
        continue
    seen.add(name)
    try:
        print(name, waits(compile(code, name, "eval")), flush=True)
    except Exception as err:  # an operation that this torch does not have, or other arguments
        print(f"{name}: {code}: {str(err).splitlines()[0][:90]}", file=sys.stderr)
