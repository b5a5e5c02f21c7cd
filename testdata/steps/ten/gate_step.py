import torch

def build(device):
    torch.manual_seed(0)
    return {"x": torch.randn(64, device=device), "h": torch.zeros(64), "p": torch.zeros(64).pin_memory(), "e": torch.cuda.Event(), "n": torch.zeros(4, dtype=torch.int64, device=device)}

def step(s, i):
    x = s["x"]
    a = x.max().item()
    b = x.sum().tolist()
    if (x > 0).any():
        x.mul_(0.99)
    idx = x.nonzero()
    y = torch.tensor([1.0, 2.0], device=x.device)
    z = x[x > 0]
    torch.cuda.synchronize()
    s["e"].record()
    s["e"].synchronize()
    w = x.cpu()
    torch.cuda.current_stream().synchronize()
    s["e"].query()
    s["h"].copy_(x, non_blocking=True)
    return x + y[0]
