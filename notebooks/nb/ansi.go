package nb

import "regexp"

var ansi = regexp.MustCompile("\x1b\\[[0-9;?]*[ -/]*[@-~]")

// StripANSI removes terminal colours and cursor movements, which cells print and tracebacks hold.
func StripANSI(s string) string { return ansi.ReplaceAllString(s, "") }
