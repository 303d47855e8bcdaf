package kernel

import (
	"context"
)

// gate is the program gate, which see.
var gate = carried{"gate", "gate", "the gate of Jupyter's kernels", []string{"true"}, nil}

// Gate returns the path of a program that starts a kernel for Jupyter: "gate gonb --kernel connection.json". It keeps from the kernel
// what is not signed with the session's key, which would end it: Jupyter's front ends reach kernels through ports that every user of
// the computer can reach too. (The kernels of [Run] have none.) The program is built once and kept in the cache, "" for that of
// [Options]; note is told before. The error wraps ErrUnavailable.
func Gate(ctx context.Context, cache string, note func(string)) (program string, err error) {
	folder, err := gate.build(ctx, cache, note)
	if err != nil {
		return "", err
	}
	return gate.path(folder), nil
}
