#!/usr/bin/env python3
"""Gram matrices of internal/linalg next to OpenBLAS (through numpy), in turns, in one run.

usage: python3 bench/linalg/compare.py [threads] [rounds]      (in the root of the repository; needs numpy and Go)

OPENBLAS_CORETYPE chooses OpenBLAS's kernels, e.g. Haswell (AVX2) or SkylakeX (AVX-512); an old OpenBLAS takes a new
processor for an older one. Each figure is the best of all rounds, in GF/s of useful work, rows·cols².
"""

import os
import re
import subprocess
import sys
import tempfile
import time

threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
os.environ["OPENBLAS_NUM_THREADS"] = str(threads)

import numpy as np  # noqa: E402  (after the number of threads is set)

ROWS = 100_000


def best_numpy(x, repeats):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        x.T @ x
        best = min(best, time.perf_counter() - start)
    return best


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "linalg.test")
        subprocess.run(["go", "test", "-c", "-o", program, "./internal/linalg"], check=True)
        for cols in (20, 50, 100, 200, 500):
            x = np.random.default_rng(1).standard_normal((ROWS, cols))
            x.T @ x
            best = {}
            for _ in range(rounds):
                best["OpenBLAS"] = min(best.get("OpenBLAS", float("inf")), best_numpy(x, 3))
                run = subprocess.run(
                    [program, "-test.run=^$", f"-test.bench=^BenchmarkGram$/^cols={cols}$/AVX", "-test.benchtime=3x", f"-test.cpu={threads}"],
                    check=True, capture_output=True, text=True)
                for name, ns in re.findall(r"isa=(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns/op", run.stdout):
                    best[name] = min(best.get(name, float("inf")), float(ns) * 1e-9)
            rate = {name: ROWS * cols * cols / seconds * 1e-9 for name, seconds in best.items()}
            ratios = "  ".join(f"{n} {r:.1f} ({r / rate['OpenBLAS']:.2f})" for n, r in rate.items() if n != "OpenBLAS")
            print(f"threads {threads}, cols {cols}: OpenBLAS {rate['OpenBLAS']:.1f}  {ratios}", flush=True)


main()
