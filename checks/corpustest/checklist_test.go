package corpustest

import "testing"

// The violations that the first user found and fixed by hand: none may come back unseen.
func TestChecklist(t *testing.T) {
	run(t, []snippet{
		{"residual magnitude in mHC", "x_next = self.weight @ x\npeak = x_next.abs().max().item()\nx = x_next * peak", []string{"GB101"}},
		{"item under VERBOSE", "if VERBOSE >= 2:\n    print(x.abs().max().item())", []string{"GB101 suppressed"}},
		{"item in warm-up", "if step == 0:\n    self.cfg.gsa = x.abs().max().item()", []string{"GB101 suppressed"}},
		{"bincount in MoE", "a = torch.bincount(self.idx, minlength=8)\nb = self.idx.bincount()\nx = x + a.sum() + b.sum()", []string{"GB204", "GB204"}},
		{"ones for scatter", "src = torch.ones(4, device=x.device)\nx = x + src.sum()", []string{"GB301"}},
		{"zeros for scales", "scale = torch.zeros(8, 8, device=x.device)\nx = x + scale", []string{"GB301"}},
		{"full for gsa", "gsa = torch.full((8,), 1.0, device=x.device)\nx = x * gsa", []string{"GB301"}},
		{"empty output", "out = torch.empty(8, 8, device=x.device)\nout.copy_(x)\nx = out", []string{"GB301"}},
		{"init_state clone", "state = x.clone()\nx = x + state", []string{"GB302"}},
		{"zeros_like in quantize", "x = torch.where(self.mask, x, torch.zeros_like(x))", []string{"GB302"}},
		{"token buffer element", "self.vec[0] = n", []string{"GB502"}},
		{"expert offsets element", "for g in range(8):\n    self.offsets[g] = n * g", []string{"GB502"}},
		{"branch on an offset", "if self.offsets[0] != 0:\n    x = x - 1", []string{"GB401"}},
		{"tokens as fresh tensors", "tok = torch.tensor([n], device=x.device)\nx = x + tok", []string{"GB501"}},
		{"top-k count read", "k = self.idx.sum()\nx = x.narrow(0, 0, k)", []string{"GB207"}},
		{"gather sized by a count", "x = torch.split(x, self.idx.tolist())[0]", []string{"GB208"}},
		{"per-expert launches", "for e in self.idx.tolist():\n    x = x + self.mat[e]", []string{"GB406"}},
		{"pinned copy outside the region", "self.vec.copy_(self.pinned)", []string{"GB505 info"}},
		{"pinned copy, asynchronous", "self.vec.copy_(self.pinned, non_blocking=True)", nil},
		// What replaced them is silent.
		{"scatter_add into a buffer", "counts = self.vec.zero_().scatter_add_(0, self.idx, self.ones)\nx = x + counts", nil},
		{"fill a buffer", "gsa = self.vec.fill_(1.0)\nx = x * gsa", nil},
		{"scalar in where", "x = torch.where(self.mask, x, 0.0)", nil},
		{"offsets by multiplication", "torch.mul(self.idx, n, out=self.idx)", nil},
		{"branch on the step", "if step % 4 == 0:\n    x = x + 1", nil},
		{"fixed Sinkhorn", "for _ in range(20):\n    x = x / x.sum(1, keepdim=True)", nil},
	})
}
