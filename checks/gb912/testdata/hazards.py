"""JAX that waits."""
import jax


def decode_step(params, state, step_fn):
    out = step_fn(params, state)
    tokens = jax.device_get(out)  # want "waits for the device"
    jax.block_until_ready(out)  # want "waits for the device"
    out.block_until_ready()  # want "waits for the device"
    return tokens
