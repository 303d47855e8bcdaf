// Package models holds the released models: coefficients with the names of their columns, the public maps by which they read raw
// rows, where they came from, how they are scored on public rows, and their files. They know no mechanism.
package models
