package beam

import (
	"context"
	"log/slog"
	"sync/atomic"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// Quiet drops what Beam and its runners log in this process: it sets the loggers of Beam's package log and of log/slog. Errors are returned all the same.
func Quiet() {
	quiet.Store(true)
	silence()
}

var quiet atomic.Bool

func silence() {
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// begin begins what Beam is in this process, which sets loggers of its own.
func begin() {
	sdk.Init()
	if quiet.Load() {
		silence()
	}
}

// silent logs nothing.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}
