import torch

class Layer(torch.nn.Module):
    def __init__(self, n, device):
        super().__init__()
        self.a = torch.nn.Linear(n, n, device=device, dtype=torch.bfloat16)
        self.b = torch.nn.Linear(n, n, device=device, dtype=torch.bfloat16)
        self.kv = []

    def pre(self, x):
        return torch.nn.functional.rms_norm(self.a(x), (x.shape[-1],))

    def attn(self, q):
        self.kv.append(q.clone())
        k = torch.stack(self.kv)
        return (torch.softmax((k * q).sum(-1, keepdim=True), 0) * k).sum(0)

    def post(self, x, y):
        return x + torch.tanh(self.b(y))

    def forward(self, x):
        return self.post(x, self.attn(self.pre(x)))

class Model(torch.nn.Module):
    def __init__(self, device):
        super().__init__()
        self.layers = torch.nn.ModuleList(Layer(64, device) for _ in range(6))
        self.head = torch.nn.Linear(64, 32, device=device, dtype=torch.bfloat16)

    def forward(self, x):
        for l in self.layers:
            x = l(x)
        return self.head(x)

class State:
    pass

def build(device):
    s = State()
    s.model = Model(device).requires_grad_(False)
    s.x = torch.randn(4, 64, device=device, dtype=torch.bfloat16)
    s.emb = torch.randn(32, 64, device=device, dtype=torch.bfloat16)
    return s

def step(s, i):
    logits = s.model(s.x)
    s.x.copy_(s.emb[logits.argmax(-1)] + i)  # gatebot: allow[GB701] between the captured regions
    return {"logits": logits, "x": s.x}
