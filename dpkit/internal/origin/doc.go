// Package origin is what every released value carries: where it came from, and what its release promises.
package origin
