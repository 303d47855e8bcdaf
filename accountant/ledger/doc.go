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
// μ* is accountant.CalibrateShared of the budget, the largest for which δ_G(ε; μ*) ≤ (1 − s) δ, and 2^-46 of it more: the
// share s δ (accountant.SamplerShare) pays for that, and so for noise on a grid and for rounding. Older ledgers hold samplers at a total
// variation tv_i from the Gaussian law as well; (1 + e^ε) Σ tv_i is paid from what is left of it. A part of δ may be set aside for failures (Config.Reserve): tests that may
// pass wrongly and private bounds that may not hold; δ above is then what is left. A release calibrated
// alike may ask for the whole budget. Releases of pure DP are charged as the Gaussian that dominates
// them (accountant.GDPOf), or, where the ledger keeps a part of ε for them (Config.Pure), add up in ε there, beside a
// Gaussian filter of the rest. One release may take of all of them at once (accountant.Charge): of the ways that there are to charge
// it, the one that is worth the least ε at the budget's δ, and Gaussians first among equals; Entry.Taken says which. filter
// says why all hold together.
//
// Each number is per row ([PerRow]: who has several rows has it several times), per person ([PerPerson], with all of their rows), or per person
// and period ([PerPersonWeek] and its like, with all rows of the period: who has rows in several has it several times), as the header says.
//
// A release is charged on disk (fdatasync) before anything is drawn. A crash at any point never
// loses a charge that led to a draw, and never charges one twice. There is no refund. A release
// that was stored is replayed for its ID, byte for byte, at no cost.
//
// Several processes and goroutines may use one file: an exclusive lock is held from the look-up
// until the value is stored, so that a second request for an ID waits and then replays.
//
// # The second place
//
// What a ledger has spent is also noted in the user's state folder ($XDG_STATE_HOME/dpnb/ledgers, else
// ~/.local/state/dpnb/ledgers, on macOS ~/Library/Application Support/dpnb/ledgers): which ledger is at a
// path, and after each charge, before its draw, the number and hash of its line. Therefore:
//
//   - A ledger that was deleted is never made anew by Create or OpenOrCreate: [ErrMissing].
//   - Of two copies of a ledger only the one that charged first goes on. An older copy that was put back,
//     or that is in a copied folder, replays what it holds and charges nothing: [ErrStale].
//   - Another ledger in its place charges nothing: [ErrReplaced].
//
// Each error tells what had been spent and how to go on; [Forget] is the way for those who know that
// it no longer matters.
//
// A ledger that is gone is also recognised where a new one is asked for under another name: by the path as it was given,
// through whatever links; by the key that is still beside it; and by its data, where the dataset's name, the schema
// and the number of rows agree (Config.Schema and Rows; nothing told agrees with nothing told). Create then returns
// [ErrMissing] too. Where only the name agrees, Status warns. Both until [Forget].
//
// A folder that is deleted as a whole and fetched again, such as a clone of a course, looks the same as one from which
// somebody deleted a ledger, and nobody but its author can tell them apart. So the author does: a ledger whose rows need no
// protection, since they are invented or published, is made as Config.Rehearsal, and is made anew where it is
// gone. It stands in the header, the status and the statement, and no ledger of real rows becomes one.
//
// The folder is a witness on one machine: where it cannot be written (a container, a CI job) or does not last, or
// where a file is used on several machines, less is noticed. Status warns when it cannot be used; releases go on.
//
// Where a notebook is tried, as by nb test and nb check, the environment says since when ([TrialEnv]): a ledger that was
// created before replays what was released and makes no other release, [ErrReplayOnly], since noise that is drawn for a
// trial gives away as much as noise that is published. A trial has a state folder of its own, which begins as a copy of the
// user's ([TrialStateEnv], [TrialFolderEnv]): a ledger that is missing is missed by trials too.
//
// # Data, projects, time
//
// A ledger is for one dataset. The first release binds it to the data's fingerprint (Request.Data), or each release
// that reads a column first to that column's (Request.Columns) and the number of rows, so that what no release reads may
// change. Other data are refused as [ErrDataset] unless they are named as another version of the same people's
// data, which draws on the same budget. Columns are bound one by one, not how their rows belong together: that
// is the release's own ID to tell. Where the caller's fingerprints or IDs change their form, it tells the earlier
// ones too (Request.OldData, OldIDs): what was released replays, and a version stays bound to what it was.
// Fingerprints and IDs are keyed with the ledger's Key, which stands in a file of its own, path + ".key": the ledger
// file alone lets nobody test a guess of the rows.
//
// A budget for a project over several datasets is a ledger of its own, named in Config.Project: each
// charge is made there first, then here. After a crash in between it counts one charge too many, never one too
// few. People may be in several of the datasets, as all of them share one sum.
//
// From Config.Expires on nothing is charged. A clock that is set back cannot date a record before an
// earlier one, so that a ledger that charged at one time never takes it to be before; Status tells. A clock
// that is wrong from the start is not noticed.
//
// # What it does not guarantee
//
//   - What is cut off at the end of the file cannot be seen from the file alone (a handle
//     that is open notices that the file shrank, and so does the second place).
//   - A second ledger at another path for the same data is another budget: keep one, or a project.
//   - The hash chain finds damage; it is no signature. Who can write the file can forge it.
//   - The file holds released values. It and its key are made with mode 0600.
//   - Only releases that go through the ledger count.
//   - flock and hard links are needed: a local disk, not every network file system.
//
// # File format
//
// JSON lines. The first line is the header:
//
//	{"format":"dpnb-ledger","version":2,"config":{…},"mu":μ*,"id":"…","key_hash":"…","created":time,"crc":"…"}
//
// Every other line is a record:
//
//	{"seq":1,"time":…,"kind":"charge","payload":{…},"prev":"…","crc":"…"}
//
// prev is the SHA-256 of the line before (without its newline), crc the CRC-32C of all bytes
// of the line before `,"crc"`. Kinds: charge (before the draw), store (its value) and failed
// (the draw gave none), which follow their charge immediately; checkpoint; upgrade; reserve (before
// the first charge: more of δ is set aside than the header says, {"reserve":…,"mu":μ*}). Programs of before refuse a file with one.
//
// A checkpoint says what all records before it come to: the sums, the bindings, and where each charge is. It carries an
// HMAC under the ledger's key and the SHA-256 of every byte before it. Who opens a ledger hashes these bytes
// and, if hash and HMAC are right, parses only what follows. Without the key, or where a checkpoint was forged or damaged,
// every record is parsed, and what the checkpoint says counts for nothing; OpenReader always does so. One is written
// every 1000 records.
//
// Files of version 1 have no unit (they are per row), no pure part, no columns and no checkpoints, and key_check instead of
// key_hash. They open and replay as they are. The first new charge appends an upgrade record,
// {"version":2,"unit":"row","key_hash":"…"}, behind which the records are those of version 2: one chain, in which
// nothing is rewritten. Programs of before refuse such a file. A charge may name the part of a split that it read alone
// ("split", "part"): of each split a person is charged for one part (see Request.Split). Programs of before count it in full.
//
// An unfinished record at the end is what a crash leaves: no draw followed it, so it is ignored
// and cut off before the next charge. Anything else that does not verify is [ErrDamaged].
package ledger
