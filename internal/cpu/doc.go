// Package cpu tells what vectors the processor computes with.
package cpu
