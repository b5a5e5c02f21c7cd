package corpustest

import "testing"

// The patterns that a text search flags wrongly, FINE-1 to FINE-27: each must stay silent, or come out as said.
func TestFine(t *testing.T) {
	run(t, []snippet{
		{"FINE-1 metadata", "if x.shape[0] > 1 and x.size(0) > 1 and x.numel() > 4 and x.dim() == 2 and x.ndim == 2:\n    x = x[: int(x.shape[0])]\nfor _ in range(len(x)):\n    x = x + x.stride(0) + x.element_size() + x.data_ptr()\nif x.dtype == torch.float32 and x.device.type == \"cuda\" and x.is_cuda and x.is_contiguous():\n    x = x + 1", nil},
		{"FINE-2 host branches", "if n > 4 or step % 128 == 0 or self.cfg.bias or x.dtype == torch.bfloat16:\n    x = x + 1", nil},
		{"FINE-3 identity and type", "if x is None or isinstance(x, torch.Tensor) or x is self.vec or hasattr(self, \"vec\"):\n    x = x + 1", nil},
		{"FINE-4 items of a dict", "for k, v in self.cfg.items():\n    x = x + len(k)\nd = {\"a\": 1}\nfor k, v in d.items():\n    x = x + v", nil},
		{"FINE-5 NumPy and lists", "a = np.arange(4)\nif a.any() and a.max() > 2 and max([1, 2]) == 2:\n    x = x + a.tolist()[0] + a.sum().item()", nil},
		{"FINE-6 CPU and pinned tensors", "x = x + self.host.sum().item() + self.pinned.numpy()[0] + self.host[0].item()", nil},
		{"FINE-7 guards", "if VERBOSE >= 2:\n    print(x.sum().item())\nif DEBUG:\n    assert not x.isnan().any()\nif logger.isEnabledFor(logging.DEBUG):\n    logger.info(\"%s\", x.max().item())", []string{"GB101 suppressed", "GB101 suppressed", "GB403 suppressed"}},
		{"FINE-8 load time", "def load_weights(layer, path):\n    w = torch.tensor([1.0], device=\"cuda\")\n    layer.scale = w.item()\n    torch.cuda.synchronize()", nil},
		{"FINE-9 stop check outside the step", "def generate(layer, x):\n    tok = layer(x).argmax(-1)\n    return [t for t in tok.tolist() if t != 2]", nil},
		{"FINE-10 blocking copy from pinned memory", "self.vec.copy_(self.pinned)", []string{"GB505 info"}},
		{"FINE-11 asynchronous both ways", "a = self.pinned.to(\"cuda\", non_blocking=True)\nb = x.to(\"cpu\", non_blocking=True)", nil},
		{"FINE-12 fills", "x[self.mask] = 3\nx.masked_fill_(self.mask, 3)\nself.vec[1:3] = 5\nself.vec[:] = 0\nself.mat[0] = 5", nil},
		{"FINE-13 element by element", "x = torch.where(self.mask, x, self.mat).clamp(0, 1)\nx = torch.maximum(x, self.mat)\ny = torch.logical_and(self.mask, self.mask) | torch.isclose(x, self.mat).all() | torch.eq(x, self.mat)", nil},
		{"FINE-14 fixed shapes", "v, i = torch.topk(x, 4)\ny = x.sort().values + x.argmax(-1) + x.cumsum(0) + x.gather(1, i) + x.index_select(0, self.idx)\nself.vec.scatter_add_(0, self.idx, self.ones)\nz = self.mat[self.idx]", nil},
		{"FINE-15 factories do not wait", "y = torch.zeros(n, 8, device=\"cuda\")", []string{"GB301"}},
		{"FINE-16 size supplied", "a = F.one_hot(self.idx, 64)\nb = torch.repeat_interleave(x, self.idx, output_size=n)\nc = torch.histc(x, bins=8, min=0, max=1)\nd = torch.linalg.inv_ex(x)", nil},
		{"FINE-17 asynchronous assertion", "torch._assert_async((x > 0).all())", nil},
		{"FINE-18 order on the device", "s = torch.cuda.Stream()\ns.wait_stream(torch.cuda.current_stream())\ne = torch.cuda.Event()\ne.record()\ne.wait()\ns.wait_event(e)\nx.record_stream(s)\ntorch.cuda.current_stream().wait_stream(s)", nil},
		{"FINE-19 casts of the dtype", "x = x.type(torch.long).long().to(torch.bfloat16).float()", nil},
		{"FINE-20 fixed iterations", "for _ in range(20):\n    x = x / x.sum(1, keepdim=True)", nil},
		{"FINE-21 builtin sum", "y = sum([self.vec, self.vec])\nfor row in x:\n    row.add_(1)", []string{"GB409 info"}},
		{"FINE-22 capture question that only logs", "if not torch.cuda.is_current_stream_capturing():\n    logger.debug(\"step\")", nil},
		{"FINE-23 wait before a capture", "def capture_graph(layer, x):\n    torch.cuda.synchronize()\n    g = torch.cuda.CUDAGraph()\n    with torch.cuda.graph(g):\n        layer(x)\n    return g", nil},
		{"FINE-24 host index pointers", "indptr = torch.tensor([0, 4, 8])\nwrap = self.cfg.wrapper\nwrap.plan(indptr.to(\"cpu\"), n)", nil},
		{"FINE-25 strings and comments", "# x.item() and torch.cuda.synchronize()\nnote = \"x.tolist()\" + f\"{x.shape} {x.dtype}\"\nlogger.info(note)", nil},
		{"FINE-27 reviewed exceptions", "a = x.sum().item()  # gpu-sync-ok: read once per request\nwith gpu_sync_allowed():\n    b = x.sum().item()", []string{"GB101 suppressed", "GB101 suppressed"}},
	})
}
