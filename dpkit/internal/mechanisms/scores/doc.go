// Package scores says how good a released model is on rows that it has not seen, in one draw of noise.
package scores
