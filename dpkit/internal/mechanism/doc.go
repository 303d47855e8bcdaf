// Package mechanism is the contract of what ends a chain: a mechanism settles once, from public facts, and what is priced is what
// is drawn. It reaches rows by passes alone.
package mechanism
