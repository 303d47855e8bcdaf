// Package tables has releases by groups of rows: a table of counts, sums, means and shares in one draw.
package tables
