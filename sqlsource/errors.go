package sqlsource

import "github.com/dpkit-go/dpnb/sqlsource/internal/fault"

// What callers branch on beside the errors of package frames: of columns that are not there ([frames.ErrHeader]), cells
// ([frames.ErrBounds] and others) and rows that change ([frames.ErrChanged]).
var (
	ErrConnect = fault.ErrConnect
	ErrQuery   = fault.ErrQuery
	ErrType    = fault.ErrType
	ErrKey     = fault.ErrKey
)
