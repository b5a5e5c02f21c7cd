import torch


def decode(x):
    return x[x.sum().item() > 0 :]  # want GB101


def test_decode():
    x = torch.ones(4, device="cuda")
    for _ in range(3):
        x = decode(torch.ones(4, device="cuda"))
    assert x.shape[0] in (3, 4)
