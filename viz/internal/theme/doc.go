// Package theme is the look that pictures of package viz and of viz/gonumplot share: colours, and where the marks of an axis stand
// and what they say.
package theme
