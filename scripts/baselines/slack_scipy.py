#!/usr/bin/env python3
"""The reference day of slack.yaml integrated with SciPy's BDF.

An implementation of the model's equations for this one scenario, independent of
the Go code: one class (scatter, fetch all), one FIFO pool, backoff, sessions,
rollouts, a throttle. Prints the trajectory every 300 s as CSV on stdout and the
cost of the run on stderr.

    slack_scipy.py [--rtol 1e-6] [--repeat 1]
"""
import argparse
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import gammaincc, log_ndtr, ndtri

HOUR = 3600.0
DURATION = 14 * HOUR
BOOTS, SESSION = 3000.0, 8 * HOUR
PROFILE = np.array([(0, 0.45), (3, 0.35), (5, 0.5), (6, 0.75), (7, 0.92), (8, 1), (9, 1),
                    (12, 0.95), (17, 0.7), (20, 0.55), (24, 0.45)]) * [HOUR, 1]
M, N, ZIPF, BINS, TTL = 30, 20_000_000, 0.8, 24, 7 * 24 * HOUR
WORK = 1 + 0.1 * M  # of one query on one shard: visit + keys
SHARDS, MU, LIMIT, TIMEOUT, BACKGROUND = 256, 8000.0, 20000.0, 1.0, 3200.0
BACKOFF = np.minimum(128.0, 2.0 ** np.arange(1, 8))
GIVE_UP = 0.05
ROLLOUTS = [(1 * HOUR, 0.25, 1800.0), (5.6 * HOUR, 0.25, 1800.0)]  # start, share, length
THROTTLES = [(7 * HOUR, 400.0), (9 * HOUR, np.inf)]  # from, boots/s
STAGES = len(BACKOFF)
Q, V, S, Z = 0, 1, 2, slice(3, 3 + STAGES)
X, Y = slice(3 + STAGES, 3 + STAGES + BINS), slice(3 + STAGES + BINS, None)  # Y in rollouts only

# Keeps the time to notice a failure smooth where failures vanish; there it is the time-out.
TINY = 1e-12

# Weighted by the standard normal density, as the integral over the common factor is.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def zipf_bins():
    """Shares of the keys and of the accesses, by direct summation."""
    cuts = np.rint(float(N) ** (np.arange(BINS + 1) / BINS)).astype(int)
    cuts[0] = 0
    weight = np.arange(1, N + 1, dtype=float) ** -ZIPF
    access = np.add.reduceat(weight, cuts[:-1])
    return np.diff(cuts) / N, access / access.sum()


PHI, PI = zipf_bins()


def any_shard(f, r):
    """Probability that some shard fails, each with probability f, copula share r.

    It lies between f and SHARDS f, so most of the day needs no quadrature.
    """
    if f * SHARDS < 1e-17 or 1 - f < 1e-17:
        return f
    return WEIGHTS @ -np.expm1(SHARDS * log_ndtr((-ndtri(f) + np.sqrt(r) * NODES) / np.sqrt(1 - r)))


def smooth_min(a, u):
    lo, hi = min(a, u), max(a, u)
    return lo * (1 + (lo / hi) ** 32) ** (-1 / 32)


def at_rest(load, b):
    """Mean and variance of the work in a stationary queue."""
    n = load / (1 - load)
    return b * n, b * b * (n + n * n)


class Forcing:
    """What is constant, or linear in time, between two scheduled instants."""

    def __init__(self, t):
        self.throttle = np.inf
        for start, limit in THROTTLES:
            if t >= start:
                self.throttle = limit
        self.flush = 0.0
        for start, share, length in ROLLOUTS:
            if start <= t < start + length:
                self.flush = share / length
        self.extra = 0.0  # dwell beyond the backoff at the last evaluation
        self.evaluations = 0


def evaluate(t, u, forcing):
    """The derivative of the state and the row of observables."""
    x, y, n, v, z, s = u[X], u[Y], u[Q], u[V], u[Z], u[S]
    forcing.evaluations += 1
    n, v = max(n, 1e-12), max(v, 1e-12)
    factor = np.interp(t, PROFILE[:, 0], PROFILE[:, 1])
    boots, background = BOOTS * factor, BACKGROUND * factor

    hit = PI @ x
    miss = 1 - hit ** M
    refused = min(1.0, (n / LIMIT) ** 32)

    # The mix of queries depends on the admitted attempts, those on the dwell, that on
    # the failures, those on the mix: iterate, from where the last evaluation ended.
    waiting = z.sum()
    while True:
        dwell = BACKOFF + forcing.extra
        attempts = boots + (z / dwell).sum()
        admitted = smooth_min(attempts, forcing.throttle)
        queries = admitted * miss
        moment = 2 * WORK**2 * queries + 2 * background
        load = WORK * queries + background
        b = 0.5 * moment / load
        share = WORK**2 * queries / moment

        def timeout(w):
            mean, var = (n + w) / MU, (v + b * n + w * w) / MU**2
            k = mean * mean / var
            return gammaincc(k, k * TIMEOUT / mean)

        refuses = any_shard(refused, (0.75 - 0.45 * refused) * share)
        expires = (1 - refuses) * any_shard(timeout(WORK), 0.9 * share)
        lost = refuses + expires  # reads that fail
        success = 1 - miss * lost
        shed = 1 - admitted / attempts
        failed = shed + (1 - shed) * miss * lost
        throttled = shed / failed if failed > 0 else 0.0
        noticed = TIMEOUT * (expires + TINY) / (lost + TINY)
        last, forcing.extra = forcing.extra, (1 - throttled) * noticed
        if abs(forcing.extra - last) < 1e-13:
            break

    nu = admitted * M * PI / (N * PHI)
    fill, expire = nu * (1 - lost), 1 / TTL
    ratio = v / (n * b)  # of variance to mean, in units of b
    phi = np.log(ratio) / (ratio - 1) if abs(ratio - 1) > 1e-8 else 1 - (ratio - 1) / 2
    idle = np.exp(-n / b * phi)
    accepted = load * (1 - refused)

    du = np.empty_like(u)
    du[X] = fill * (1 - x) - x * expire
    if forcing.flush > 0:
        du[X] -= forcing.flush * y
        du[Y] = fill * (1 - y) - y * expire
    du[Q] = accepted - MU * (1 - idle)
    du[V] = b * (accepted + MU * (1 - idle)) - 2 * MU * n * idle - 64 * load * refused * v / n
    flow = z / dwell
    into = (1 - GIVE_UP) * failed * np.concatenate(([boots], flow[:-1]))
    into[-1] += (1 - GIVE_UP) * failed * flow[-1]
    du[Z] = into - flow
    du[S] = admitted * success - s / SESSION

    mean_query = load / (queries + background)
    row = [t, boots, attempts, admitted, success, waiting, s, hit, miss, success,
           load / MU, n, timeout(mean_query), refused]
    return du, row


def healthy(t):
    """The state at rest at time t with no failures."""
    factor = np.interp(t, PROFILE[:, 0], PROFILE[:, 1])
    boots, background = BOOTS * factor, BACKGROUND * factor
    u = np.zeros(X.stop)
    rate = boots * M * PI / (N * PHI) * TTL
    u[X] = rate / (1 + rate)
    queries = boots * (1 - (PI @ u[X]) ** M)
    load = WORK * queries + background
    u[Q], u[V] = at_rest(load / MU, (WORK**2 * queries + background) / load)
    u[S] = boots * SESSION
    return u


def instants():
    """Where the right-hand side, or its slope in time, jumps."""
    at = {0.0, DURATION, *PROFILE[:, 0], *(t for t, _ in THROTTLES)}
    at |= {t for start, _, length in ROLLOUTS for t in (start, start + length)}
    return sorted(t for t in at if t <= DURATION)


def simulate(rtol, atol):
    u, rows, cost = healthy(0), [], dict(evaluations=0, steps=0, factorisations=0)
    cuts = instants()
    for begin, end in zip(cuts, cuts[1:]):
        forcing = Forcing(begin)
        if any(begin == start for start, _, _ in ROLLOUTS):
            u = np.append(u, u[X])
        elif forcing.flush == 0:
            u = u[:X.stop]
        grid = np.arange(np.ceil(begin / 300) * 300, end, 300)
        sol = solve_ivp(lambda t, u: evaluate(t, u, forcing)[0], (begin, end), u, method="BDF",
                        rtol=rtol, atol=atol, dense_output=True)
        if not sol.success:
            sys.exit(f"slack_scipy: at {sol.t[-1]} s: {sol.message}")
        cost["evaluations"] += forcing.evaluations  # those for the Jacobian included
        rows += [evaluate(t, sol.sol(t), forcing)[1] for t in grid]
        u = sol.y[:, -1].copy()
        cost["steps"] += len(sol.t) - 1
        cost["factorisations"] += sol.nlu
    rows.append(evaluate(DURATION, u, Forcing(DURATION))[1])
    return rows, cost


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--rtol", type=float, default=1e-6)
    args.add_argument("--atol", type=float, help="default: rtol/100")
    args.add_argument("--repeat", type=int, default=1)
    args = args.parse_args()
    best = np.inf
    for _ in range(args.repeat):
        start = time.process_time()
        rows, cost = simulate(args.rtol, args.atol or args.rtol / 100)
        best = min(best, time.process_time() - start)
    print("t_s,boots_per_s,attempts_per_s,admitted_per_s,boot_success,waiting_clients,sessions,"
          "hit_rate.gdm_members,miss.gdm_members,success.gdm_members,"
          "load.main,in_system.main,timeout.main,refused.main")
    for row in rows:
        print(",".join(repr(float(value)) for value in row))
    print(f"scipy-bdf rtol {args.rtol:g}: {1e3 * best:.1f} ms of CPU,",
          ", ".join(f"{value} {name}" for name, value in cost.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
