#!/usr/bin/env python3
"""Tails of privacy losses by 60-digit arithmetic, written to tails.json: for each law and loss l
[P(L > l − η), P(L > l + η)] and e^l times the same of Q, from the densities and the set {x: L(x) > l}. η = 2^-45 |l| is what the rounding of l may do: near the end of a support it is a lot.

Run in this directory: python3 tails.py (needs mpmath)."""
import json
from mpmath import mp, mpf, exp, log, erfc, sqrt

mp.dps = 90

def upper(z):  # 1 - Phi(z)
    return erfc(z / sqrt(2)) / 2

rows = []

def add(law, params, loss, tails):  # tails(l) = P(L > l), Q(L > l)
    l = mpf(loss)
    eta = abs(l) * mpf(2) ** -45
    (p0, q0), (p1, q1) = tails(l - eta), tails(l + eta)
    if p0 < mpf(10) ** -290:
        return
    text = lambda *v: [mp.nstr(x, 60) for x in v]
    rows.append(dict(law=law, params=[float(v) for v in params], loss=loss,
                     p=text(p0, p1), q=text(exp(l) * q0, exp(l) * q1)))

for mu in [1e-4, 0.3, 5, 20]:
    m = mpf(mu)
    def tails(l):  # P = N(0, 1), Q = N(-mu, 1)
        x = l / m - m / 2
        return upper(x), upper(x + m)
    for z in [-6, -1, 0, 0.5, 3, 9, 20, 35]:
        add("gaussian", [mu], float(m ** 2 / 2 + m * z), tails)

for r in [1e-6, 0.1, 1, 30]:
    def tails(l):  # P = Lap(0), Q = Lap(r): loss |x - r| - |x| = r - 2x on [0, r], above l for x < (r - l)/2
        x = (mpf(r) - l) / 2
        return 1 - exp(-x) / 2, exp(x - mpf(r)) / 2
    for s in [-0.999, -0.5, 0, 0.3, 0.9, 0.999]:
        add("laplace", [r], float(s * r), tails)

for q in [1e-9, 1e-5, 0.01, 0.5, 0.999]:
    for s in [0.05, 0.5, 1, 30, 1e4]:
        Q, S = mpf(q), mpf(s)
        f = lambda x: log(1 - Q + Q * exp((2 * x - 1) / (2 * S * S)))
        inverse = lambda l: S * S * log((exp(l) - 1 + Q) / Q) + mpf(1) / 2 if exp(l) > 1 - Q else mpf("-inf")
        def remove(l):
            x = inverse(l)
            return (1 - Q) * upper(x / S) + Q * upper((x - 1) / S), upper(x / S)
        def addition(l):  # Q the mixture, losses -f, above l for points below x
            x = inverse(-l)
            return upper(-x / S), (1 - Q) * upper(-x / S) + Q * upper(-(x - 1) / S)
        for z in [-4, -0.5, 1, 4, 8, 20, 36]:
            add("remove", [q, s], float(f(S * z)), remove)
            add("add", [q, s], float(-f(-S * z)), addition)

for shift, s in [(1, 0.3), (1, 2), (3, 2), (1, 60), (7, 60)]:
    A, S = mpf(shift), mpf(s)
    n = int(45 * s) + 2
    w = [exp(-mpf(k) ** 2 / (2 * S * S)) for k in range(n + 1)]
    total = w[0] + 2 * sum(w[1:])
    above = lambda m: sum(w[abs(k)] for k in range(m + 1, n + 1)) / total  # P(K > m) for the centred law
    for m in sorted({-int(3 * s), -1, 0, 1, int(2 * s), int(9 * s), int(30 * s)}):
        # between the atoms m and m + 1
        add("discrete", [shift, s], float(A * (2 * mpf(m) + 1 - A) / (2 * S * S)), lambda l: (above(m - shift), above(m)))

with open("tails.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
