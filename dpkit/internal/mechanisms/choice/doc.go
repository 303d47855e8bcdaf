// Package choice has private selection: which of several released models suits the rows best.
package choice
