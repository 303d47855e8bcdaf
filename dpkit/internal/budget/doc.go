// Package budget holds what the steps of a chain take of the budget of its release, and what they leave.
package budget
