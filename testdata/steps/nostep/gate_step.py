def build(device):
    return {}
