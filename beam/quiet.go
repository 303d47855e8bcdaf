package beam

import (
	"context"
	"log/slog"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

// Quiet drops what Beam and its runners log in this process: it sets the loggers of Beam's package log and of log/slog. Errors are returned all the same.
func Quiet() {
	log.SetLogger(silent{})
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// silent logs nothing.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}
