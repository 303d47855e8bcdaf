// Package noise is the only source of randomness for privacy: crypto-secure bits and exact
// discrete samplers. Use [New], then [NewGrid] to put a sum on a public grid, then [AddGaussian]; or
// [NewLaplaceGrid] and [AddLaplace]; or [Source.Exponential].
//
// What it guarantees. [Source.Bernoulli], [Source.BernoulliExp], [Source.DiscreteLaplace],
// [Source.Exponential] and [Source.DiscreteGaussian] are exact: given uniform bits their law is the stated one, with no
// floating point anywhere, up to a truncation far in the tails that [TruncationTV] bounds.
// They follow Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy"
// (2020), Algorithms 1 to 3. [GaussianTV] bounds the distance to a rounded continuous Gaussian.
//
// What it does not guarantee.
//
//   - [Source.Float64] and [Source.Normal] are floating point. Noise that is added in floating
//     point is not private (Mironov 2012): never use them for an additive mechanism.
//   - The samplers reject and loop, so their running time depends on the draw (never on the
//     data, which does not enter them, but for [Source.Exponential]). Who can time a single draw learns something about the
//     noise (Jin, McMurtry, Rubinstein, Ohrimenko 2022): do not expose the timing of a release.
//   - A [Source] buffers 4 KiB of unused output. Each buffer has its own AES-256 key from the
//     operating system, dropped when the buffer is full, and every word is erased when it is
//     handed out, so a later reading of the buffer does not reveal earlier noise. Go gives no
//     means to erase the cipher's own copy of a dropped key before the collector reuses it.
//   - A copy of the memory (a fork, a restored machine snapshot) copies the unused words.
//     [AddGaussian] calls [Source.Rekey] first, so noise added by it never repeats across
//     copies; callers that draw directly call Rekey at the start of a release.
package noise
