// Package boot makes the process that a runner of Beam starts a worker by itself (-environment_type PROCESS), without Beam's program of
// that name, which fetches the worker's program from the runner first.
package boot
