// Package sentinel holds the errors that several public packages name: one value, so that errors.Is finds it by each of its names.
package sentinel
