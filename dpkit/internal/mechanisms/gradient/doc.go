// Package gradient fits models by noisy gradients: projected descent on all rows or on samples, released step by step or in its
// last iterate alone.
package gradient
