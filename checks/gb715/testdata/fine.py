"""Updates in place, and updates that capture again."""
import torch


class Engine:
    def __init__(self, model: torch.nn.Linear):
        self.model = model
        self.weight = torch.nn.Parameter(torch.zeros(8, 8))

    def capture(self, x):
        self.g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.g):
            self.y = self.model(x)

    def load_model(self, state):
        self.model.load_state_dict(state, assign=True)  # before the first capture

    def update_weights(self, new, state, cfg):
        self.weight.data.copy_(new)
        self.model.load_state_dict(state)
        cfg.data = new  # no tensor

    def reload_weights(self, new, x):
        self.weight.data = new
        self.capture(x)
