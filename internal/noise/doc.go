// Package noise is the only source of randomness for privacy: crypto-secure bits and exact
// discrete samplers.
package noise
