def step(state, i):
    return state
