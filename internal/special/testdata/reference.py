"""Writes the reference tables of this folder with mpmath, numpy and scipy.

gamma.csv:   a, x, Q(a, x), dQ/da, dQ/dx
scatter.csv: f, r, v, 1 - G, dG/df, dG/dr, dG/dv
"""
import mpmath as mp

mp.mp.dps = 50


def row(*values):
    return ",".join(repr(float(v)) if isinstance(v, (int, float)) else mp.nstr(v, 20) for v in values)


def gamma_q(a, x):
    """Series for P where it converges well, mpmath's own upper function elsewhere."""
    if x < a + 5 * mp.sqrt(a) + 5:
        t, s, k = mp.mpf(1), mp.mpf(1), 0
        with mp.workdps(80):
            t = s = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
            while t > s * mp.mpf(10) ** -70 or k < x - a:
                k += 1
                t = t * x / (a + k)
                s += t
            return 1 - s
    return mp.gammainc(a, x, mp.inf, regularized=True)


def gamma():
    with open("gamma.csv", "w") as out:
        for a in [1e-3, 0.02, 0.3, 0.7, 1.0, 1.4, 2.3, 5.0, 9.75, 10.25, 14.0, 33.0, 120.0, 1000.0, 10400.0, 1e6]:
            for lam in [1e-4, 0.02, 0.2, 0.299, 0.301, 0.5, 0.7, 0.72, 0.9, 0.97, 0.999, 1.0,
                        1.001, 1.04, 1.1, 1.3, 1.405, 1.415, 1.7, 1.99, 2.01, 2.5, 3.0, 5.0, 20.0]:
                for x in ([a * lam] if a >= 2 else [a * lam, 4 * lam, 30 * lam]):
                    e = x - a - a * mp.log(x / a)
                    if e > 700 or (x < a and e > 36):
                        continue
                    a_, x_ = mp.mpf(a), mp.mpf(x)
                    h = mp.mpf(10) ** -12 * a_
                    da = (8 * (gamma_q(a_ + h, x_) - gamma_q(a_ - h, x_))
                          - gamma_q(a_ + 2 * h, x_) + gamma_q(a_ - 2 * h, x_)) / (12 * h)
                    dx = -mp.exp((a_ - 1) * mp.log(x_) - x_ - mp.loggamma(a_))
                    out.write(row(a, x, gamma_q(a_, x_), da, dx) + "\n")


def quantile(f):
    """h with 1 - Phi(h) = f, by Newton's method on ln(1 - Phi)."""
    if f > 0.5:
        return -quantile(1 - f)
    h = mp.sqrt(max(0, -2 * mp.log(2 * f)))
    for _ in range(200):
        t = mp.erfc(h / mp.sqrt(2)) / 2
        step = mp.log(t / f) * t / mp.npdf(h)
        h += step
        if abs(step) < mp.mpf(10) ** -30:
            return h
    raise ArithmeticError


def fail(f, r, v, nodes=1):
    """1 - G by the trapezoidal rule, with a step far below what it needs."""
    h = quantile(f)
    root, rest = mp.sqrt(r), mp.sqrt(1 - r)
    step = mp.mpf("0.5") / mp.sqrt(1 / mp.mpf("0.6") + r / (1 - r) * (mp.log(v) + 2) ** 2) / nodes
    total = mp.mpf(0)
    for j in range(-int((11 + root * max(h, 0) * 2) / step), int(11 / step)):
        z = j * step
        s = (h + root * z) / rest
        log_phi = mp.log1p(-mp.erfc(s / mp.sqrt(2)) / 2) if s > 0 else mp.log(mp.erfc(-s / mp.sqrt(2)) / 2)
        total -= mp.npdf(z) * mp.expm1(v * log_phi)
    return total * step


def scatter():
    mp.mp.dps = 36
    cases = [(f, r, v)
             for f in [1e-100, 1e-20, 1e-8, 1e-4, 0.02, 0.1, 0.4, 0.9, 0.999]
             for r in [0.01, 0.35, 0.8]
             for v in [1.5, 16.0, 256.0]]
    cases += [(f, r, v) for f in [1e-300, 1e-12, 0.003, 0.3] for r in [1e-6, 0.9, 0.97] for v in [4.0]]
    cases += [(f, r, 1e6) for f in [1e-7, 1e-3, 0.2] for r in [0.1, 0.5]]
    with open("scatter.csv", "w") as out:
        for f, r, v in cases:
            args = [mp.mpf(f), mp.mpf(r), mp.mpf(v)]
            value = fail(*args)
            assert abs(fail(*args, nodes=1.3) / value - 1) < 1e-16
            slopes = []
            for i in range(3):
                d = args[i] * mp.mpf(10) ** -9
                hi, lo = list(args), list(args)
                hi[i] += d
                lo[i] -= d
                slopes.append(-(fail(*hi) - fail(*lo)) / (2 * d))
            out.write(row(f, r, v, value, *slopes) + "\n")


if __name__ == "__main__":
    gamma()
    scatter()
