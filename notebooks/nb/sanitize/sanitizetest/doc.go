// Package sanitizetest judges HTML for tests: what comes out of a sanitiser, or of a page made with one.
package sanitizetest
