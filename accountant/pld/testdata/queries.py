"""Makes queries.json: ε of compositions of T subsampled Gaussians, by nothing of this repository.

One step: the root of the closed form of δ(ε) with 50 digits (mpmath). More steps: a privacy-loss accountant of its own, the
losses rounded to the middles of cells with their mean kept, convolved by FFT in long double (a power of T multiplies the rounding by T),
extrapolated in the width of the cells (numpy and scipy). An entry is kept where three widths agree within 0.3 % and ε is above 1e-3. Run: python3 queries.py > queries.json"""
import json
import random
import sys

import numpy as np
from mpmath import mp, mpf, exp, log, ncdf, findroot, expm1
from scipy import fft
from scipy.special import ndtr

mp.dps = 50


def one_step(q, s, delta):
    """max over removal and addition of the root of δ(ε) = delta"""
    q, s, delta = mpf(q), mpf(s), mpf(delta)

    def point(l):  # x with ln(1 − q + q e^{(2x−1)/2s²}) = l
        return s * s * log((exp(l) - 1 + q) / q) + mpf(1) / 2

    def remove(e):
        x = point(e)
        return (1 - q) * ncdf(-x / s) + q * ncdf(-(x - 1) / s) - exp(e) * ncdf(-x / s)

    def add(e):
        if exp(-e) <= 1 - q:
            return mpf(0)
        x = point(-e)
        return ncdf(x / s) - exp(e) * ((1 - q) * ncdf(x / s) + q * ncdf((x - 1) / s))

    best = mpf(0)
    for f in (remove, add):
        lo, hi = mpf(0), mpf(1)
        if f(lo) <= delta:
            continue
        while f(hi) > delta:
            hi *= 2
        for _ in range(150):
            mid = (lo + hi) / 2
            if f(mid) > delta:
                lo = mid
            else:
                hi = mid
        best = max(best, hi)
    return float(best)


class Step:
    def __init__(self, q, s, add):
        self.q, self.s, self.add = q, s, add

    def loss(self, x):
        l = np.logaddexp(np.log1p(-self.q), np.log(self.q) + (2 * x - 1) / (2 * self.s ** 2))
        return -l if self.add else l

    def moments(self):
        q, s = self.q, self.s
        x = np.linspace(-12 * s - 1, 12 * s + 2, 400001)
        n = lambda m: np.exp(-(x - m) ** 2 / (2 * s * s)) / (s * np.sqrt(2 * np.pi))
        p = n(0) if self.add else (1 - q) * n(0) + q * n(1)
        l = self.loss(x)
        h = x[1] - x[0]
        return float((p * l).sum() * h), float((p * l * l).sum() * h)

    def tails(self, l):
        q, s = self.q, self.s
        with np.errstate(all='ignore'):
            m = -l if self.add else l
            t = np.where(m > 30, m + np.log1p(-(1 - q) * np.exp(-m)), np.log(np.maximum(np.expm1(m) + q, 0)))
            x = np.where(m <= np.log1p(-q), -np.inf, s * s * (t - np.log(q)) + 0.5)
        if self.add:
            return ndtr(-x / s), ndtr(x / s)
        return (1 - q) * ndtr(x / s) + q * ndtr((x - 1) / s), (1 - q) * ndtr(-x / s) + q * ndtr(-(x - 1) / s)


def power(z, n):
    r = np.ones_like(z)
    while n:
        if n & 1:
            r = r * z
        n >>= 1
        if n:
            z = z * z
    return r


def epsilon(step, T, delta, W, N):
    h = 2 * W / N
    k = np.arange(-N // 2, N // 2)
    below, above = step.tails((np.arange(-N // 2, N // 2 + 1) - 0.5) * h)
    p = np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0)
    mean = float((p * k * h).sum())
    shift = T * (step.mean - mean)
    P = fft.irfft(power(fft.rfft(np.fft.ifftshift(p).astype(np.longdouble)), T), N)
    c = int(round(T * mean / h))
    at = np.arange(c - N // 2, c + N // 2)
    l, P = at * h + shift, P[at % N]
    P, l = P[::-1], l[::-1]
    A = np.cumsum(P)
    ref = l[int(np.argmax(A > delta))]  # ε is a little below
    B = np.cumsum(P * np.exp(np.clip(ref - l, -700, 700)))
    d = A - np.exp(np.clip(l - ref, -700, 700)) * B
    i = int(np.argmax(d > delta))
    if d[i] <= delta or i == 0:
        return 0.0
    return max(0.0, float(ref + np.log((A[i - 1] - delta) / B[i - 1])))


def composed(q, s, T, delta):
    """ε and the relative spread of three widths; None where the range is beyond this method"""
    best, spread = 0.0, 0.0
    for add in (False, True):
        step = Step(q, s, add)
        step.mean, square = step.moments()
        sd = np.sqrt(T * max(0, square - step.mean ** 2))
        grid = np.linspace(-20 * s - 2, 20 * s + 3, 20001)
        losses = np.abs(step.loss(grid))
        _, above = step.tails(step.loss(grid))
        ok = above > delta * 1e-3 / T
        far = float(step.loss(grid)[ok].max()) if ok.any() else 0.0
        W = 1.3 * (abs(T * step.mean) + 9 * sd + max(far, 0)) + 1e-3
        values = [epsilon(step, T, delta, W, 1 << b) for b in (16, 17, 18)]
        e = values[2] + (values[2] - values[1]) / 3
        if e > best:
            best = e
            spread = max(abs(v / e - 1) for v in (values[1], values[2], values[1] + (values[1] - values[0]) / 3))
    return best, spread


def main():
    r = random.Random(16)
    single, more = [], []
    while len(single) < 100 or len(more) < 200:
        q, s, delta = 10 ** r.uniform(-9, 0), 10 ** r.uniform(-0.6, 1), 10 ** r.uniform(-12, -3)
        steps = int(10 ** r.uniform(0, 5))
        if len(single) < 100 and 0.02 < q * steps:  # of the draws, those that tell something
            e = one_step(q, s, delta)
            if e > 1e-3:
                single.append({"q": q, "sigma": s, "steps": 1, "delta": delta, "epsilon": e, "tool": "mpmath"})
        if len(more) < 200 and steps > 1:
            e, spread = composed(q, s, steps, delta)
            if e > 1e-3 and spread < 3e-3:
                more.append({"q": q, "sigma": s, "steps": steps, "delta": delta, "epsilon": e, "tool": "fft", "spread": spread})
                print(len(more), file=sys.stderr, flush=True)
    print("[")
    print(",\n".join(json.dumps(e) for e in single + more))
    print("]")


main()
