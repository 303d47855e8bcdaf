// Package tables has releases by groups of rows: a table of counts, sums, means, shares and variances in one draw, with quantiles beside them,
// of public groups or of those that are found.
package tables
