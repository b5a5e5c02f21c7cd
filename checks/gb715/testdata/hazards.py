"""Updates that graphs do not see."""
import torch


class Engine:
    def __init__(self, model: torch.nn.Linear):
        self.model = model
        self.weight = torch.nn.Parameter(torch.zeros(8, 8))

    def capture(self, x):
        self.g = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.g):
            self.y = self.model(x)

    def update_weights(self, new, state):
        self.weight.data = new  # want "go on reading the old weights"
        self.model.load_state_dict(state, assign=True)  # want "replaces the parameters"
