"""Drives build(device) and step(state, i) of a repository through the phases of the gate and records what happened."""
