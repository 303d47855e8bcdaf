// Package reports releases a logistic model together with a private report of what it cost each row.
package reports
