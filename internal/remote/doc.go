// Package remote is how releases pass over rows that lie in other processes, in shards: package beam carries jobs and states there and
// back, and package dpkit makes them. Neither knows the other.
//
// A worker makes the release of the same plan anew, from its text and public facts. Passes that were made before it does not make: it is
// told their states of all rows, and what private queries of steps answered. At the pass that it is asked for it accumulates its shard, and
// stops. It has no ledger and no secret of one, and draws nothing. Where text or code differ, so do the facts that a state is written with,
// and it is refused.
package remote
