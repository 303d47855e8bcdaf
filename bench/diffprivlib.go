package main

// Debian has no Python library of differential privacy. These counterparts take the steps of diffprivlib 0.6 in numpy (tools.count_nonzero, tools.histogram and
// tools.mean; validation.clip_to_bounds; mechanisms.Geometric and LaplaceTruncated), without its checks of other arguments and its accountant: what it does
// takes no less.
const (
	asCount     = "the steps of diffprivlib's count_nonzero"
	asHistogram = "the steps of diffprivlib's histogram"
	asMean      = "the steps of diffprivlib's mean"
)

// diffprivlib defines these steps. Its noise is made of floats that secrets.SystemRandom draws.
const diffprivlib = `import secrets
rng = secrets.SystemRandom()
def geometric(value, epsilon):
    scale = -epsilon
    u = (rng.random() - 0.5) * (1 + np.exp(scale))
    sign = -1 if u < 0 else 1
    return int(np.round(value + sign * np.floor(np.log(sign * u) / scale)))
def laplace(value, scale, lower, upper):
    u, v, w, z = rng.random(), rng.random(), rng.random(), rng.random()
    noise = np.log(1 - u) * np.cos(np.pi * v) + np.log(1 - w) * np.cos(np.pi * z)
    return min(max(value - scale * noise, lower), upper)
def clip(array, bounds):
    lower, upper = (np.ravel(b).astype(float) for b in bounds)
    array = array.copy()
    if np.allclose(lower, np.min(lower)) and np.allclose(upper, np.max(upper)):
        return np.clip(array, np.min(lower), np.max(upper))
def count(array, epsilon):
    array = clip(np.ravel(np.asarray(array, dtype=bool)), (0, 1))
    return geometric(int(np.sum(array, dtype=np.intp)), epsilon)
def histogram(sample, epsilon, bins, range):
    hist, edges = np.histogram(sample, bins=bins, range=range)
    return np.array([geometric(int(n), epsilon) for n in hist]), edges
def mean(array, epsilon, bounds):
    lower, upper = bounds
    array = clip(np.ravel(array), bounds)
    return laplace(float(np.mean(array)), (upper - lower) / array.size / epsilon, lower, upper)
`
