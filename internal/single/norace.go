//go:build !race

package single

const race = false
