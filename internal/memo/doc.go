// Package memo keeps results that are asked for several times, in bounded memory.
package memo
