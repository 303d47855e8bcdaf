// Package ledger keeps the durable record of what the releases of one dataset have cost,
// refuses what the budget does not cover, and replays what was already paid for.
//
// Begin with [OpenOrCreate] and [Ledger.Release].
//
// # What it guarantees
//
// All releases that went through one ledger are together (ε, δ)-DP for the [Config]'s budget,
// relation and the weakest scope among them, however each was chosen from earlier results.
// The filter is fully adaptive composition in Gaussian DP: Smith and Thakurta, "Fully Adaptive
// Composition for Gaussian Differential Privacy" (2022); Koskela, Tobaben and Honkela,
// "Individual Privacy Accounting with Gaussian Differential Privacy" (ICLR 2023):
// if Σ μ_i² ≤ μ*² almost surely for a μ* fixed beforehand, then the whole is μ*-GDP.
// μ* is accountant.CalibrateShared of the budget: the largest for which δ_G(ε; μ*) ≤ (1 − s) δ. The
// share s δ (accountant.SamplerShare) pays for samplers whose law is only close to Gaussian:
// (1 + e^ε) Σ tv_i ≤ s δ. A part of δ may be set aside for failures (Config.Reserve): tests that may
// pass wrongly and private bounds that may not hold; δ above is then what is left. A release calibrated
// alike may ask for the whole budget. Releases of pure DP are charged as the Gaussian that dominates
// them (accountant.GDPOf).
//
// A release is charged on disk (fdatasync) before anything is drawn. A crash at any point never
// loses a charge that led to a draw, and never charges one twice. There is no refund. A release
// that was stored is replayed for its ID, byte for byte, at no cost.
//
// Several processes and goroutines may use one file: an exclusive lock is held from the look-up
// until the value is stored, so that a second request for an ID waits and then replays.
//
// # What it does not guarantee
//
//   - What is cut off at the end of the file cannot be seen from the file alone (a handle
//     that is open notices that the file shrank). The same holds for an older copy put back in
//     place. Keep the file where only its owner writes.
//   - A deleted file is a forgotten budget: OpenOrCreate begins a new one, while what was
//     released before stays released.
//   - The hash chain finds damage; it is no signature. Who can write the file can forge it.
//   - The file holds released values and a secret key. It is made with mode 0600.
//   - Only releases that go through the ledger count.
//   - flock and hard links are needed: a local disk, not every network file system.
//
// # File format
//
// JSON lines. The first line is the header:
//
//	{"format":"dpnb-ledger","version":1,"config":{…},"mu":μ*,"key":"base64","created":time,"crc":"…"}
//
// Every other line is a record:
//
//	{"seq":1,"time":…,"kind":"charge","payload":{…},"prev":"…","crc":"…"}
//
// prev is the SHA-256 of the line before (without its newline), crc the CRC-32C of all bytes
// of the line before `,"crc"`. Kinds: charge (before the draw), store (its value) and failed
// (the draw gave none); the last two follow their charge immediately.
// An unfinished record at the end is what a crash leaves: no draw followed it, so it is ignored
// and cut off before the next charge. Anything else that does not verify is [ErrDamaged].
package ledger
