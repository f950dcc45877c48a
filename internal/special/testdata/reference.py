"""Writes the reference tables of this folder with mpmath (python3-mpmath).

gamma.csv:   a, x, Q(a, x), dQ/da, dQ/dx
scatter.csv: f, r, v, 1 - G, dG/df, dG/dr, dG/dv
hermite.csv: f, r, v, 1 - G by the 40-node Gauss-Hermite rule
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


if __name__ == "__main__":
    gamma()
