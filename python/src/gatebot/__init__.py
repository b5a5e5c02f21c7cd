"""Marks for gatebot: which part of a program is a region that has to be safe to capture in a CUDA graph.

The marks cost nothing but a function call where gatebot's probe is not loaded, and need neither a GPU nor torch::

    import gatebot

    def decode_step(self, x):
        for i, layer in enumerate(self.layers):
            with gatebot.region(f"L{i:02}"):
                x = layer.pre(x)
            with gatebot.eager():
                x = layer.attn(x)
        return x

``gatebot probe --region L00 -- python serve.py`` then judges what happens inside.
"""

from gatebot._marks import active, eager, region, step

__all__ = ["active", "eager", "region", "step"]
