// Package ledgerfile looks into ledger files for people: it shows, verifies and exports them. It only
// reads, so that copies without a key and files of other owners will do; [Forget] alone changes
// something, namely what the user's state folder knows. The command nb ledger is made of it.
package ledgerfile
