"""JAX that goes on."""
import jax


class Gate:
    def block_until_ready(self):
        """Of the project."""


def load_params(params):
    return jax.block_until_ready(jax.device_put(params))


def decode_step(params, state, step_fn):
    gate = Gate()
    gate.block_until_ready()
    return step_fn(params, state)
