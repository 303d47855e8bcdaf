// Package kind names steps and mechanisms: the registered name of each and the version of its law, by which releases are told
// apart whatever Go calls their types, and the text of a chain, which is written from their fields and read back into them.
package kind
