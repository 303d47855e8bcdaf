// Package funcsource hashes the source of a function that a notebook's cell hands over, so that another body is told from the one before.
package funcsource
