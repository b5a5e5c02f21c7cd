"""A small decode step with the parts of DSV4: 61 layers, any width, pure torch operations."""
