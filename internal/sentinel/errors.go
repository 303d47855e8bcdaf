package sentinel

import "errors"

// ErrParameter reports a parameter outside its range.
var ErrParameter = errors.New("bad parameter")
