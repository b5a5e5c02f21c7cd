def build(device): return {}
def step(s, i): return None
