// Package fault says what is wrong with a connection or a query without repeating what is private.
package fault
