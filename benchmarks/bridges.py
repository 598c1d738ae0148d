"""Steps a second of a learner against an opponent, side by side in one run. A step is an action and its answer.

Isolation as a Gymnasium environment beside PettingZoo's connect four, which needs pygame, both stepped from Python; and
a batch of 1,024 games beside pgx's connect four. What is not installed is left out. Bars: 20 times PettingZoo, and as
quick as pgx.

    python benchmarks/bridges.py
"""

from collections.abc import Callable
from importlib.util import find_spec

from side_by_side import speeds
from sparring.bridges.gymnasium import Environment, VectorEnvironment

STEPS, BATCH, BATCHES = 3_000, 1024, 60


def isolation() -> int:
    env = Environment("isolation", against="random")
    _, info = env.reset(seed=1)
    for _ in range(STEPS):
        _, _, over, _, info = env.step(info["action_mask"].argmax())
        if over:
            _, info = env.reset()
    return STEPS


def pettingzoo() -> int:
    """Two calls a step: PettingZoo's games are stepped for each player in turn."""
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    env.reset(seed=1)
    for _ in range(STEPS):
        seen, _, over, _, _ = env.last()
        if over:
            env.reset()
            continue
        env.step(seen["action_mask"].argmax())
    return STEPS // 2


def many_games() -> int:
    env = VectorEnvironment("isolation", BATCH, against="random")
    _, info = env.reset(seed=1)
    for _ in range(BATCHES):
        *_, info = env.step(info["action_mask"].argmax(axis=1))
    return BATCHES * BATCH


def pgx_games() -> Callable[[], int]:
    import jax
    import pgx

    env = pgx.make("connect_four")
    begin, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(pgx.experimental.auto_reset(env.step, env.init)))
    state = begin(jax.random.split(jax.random.PRNGKey(1), BATCH))
    choose = jax.jit(lambda state: state.legal_action_mask.argmax(axis=1))

    def run() -> int:
        now = state
        for _ in range(BATCHES):
            now = step(now, choose(now))
        now.observation.block_until_ready()
        return BATCHES * BATCH

    run()
    return run


def main() -> None:
    isolation()  # compiles
    single = {"Isolation, Gymnasium": isolation}
    if find_spec("pygame"):
        single["connect four, PettingZoo"] = pettingzoo
    one = speeds(single)
    for name, speed in one.items():
        print(f"{name}: {speed:,.0f} steps/s")
    if len(one) > 1:
        ours, theirs = one.values()
        print(f"ratio {ours / theirs:.1f} (bar 20)")
    many_games()
    many = {"Isolation, a batch of 1,024": many_games}
    if find_spec("pgx"):
        many["connect four, pgx, a batch of 1,024"] = pgx_games()
    for name, speed in speeds(many).items():
        print(f"{name}: {speed:,.0f} steps/s")


if __name__ == "__main__":
    main()
