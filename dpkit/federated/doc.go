// Package federated trains one model on the rows of several nodes that do not show them to each other. Every node has
// a ledger of its own and answers a coordinator's questions with gradients that are private already (local differential
// privacy of datasets; Hendrikx, Mangold, Bellet 2025, Section 6): nobody is trusted with more than what was released.
//
// Begin with [Train] on the coordinator and [Join] on the nodes, over links: [Pipe] within a program, [Stream] over the
// standard input and output of a process or a connection.
//
// What it guarantees. A node charges its ledger for all rounds before it answers the first question, and answers each of
// them once; whatever the coordinator and the other nodes do, the rows are protected by the node's own guarantee. A node that is
// started again replays its recorded answers, at no cost.
//
// What it does not. It authenticates and encrypts nothing: put a link on a transport that does. A coordinator or a node that lies
// can spoil the model, not the privacy of others. The time that an answer takes is observable.
package federated
