package beam

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// loopback has the jobs of Prism in this process worked on by this process, where no flag says otherwise. Prism would do that by itself, and leave an
// empty file in the temporary folder behind each job, in the place of a worker's program.
func loopback(runner string) error {
	if runner != "prism" || *jobopts.EnvironmentType != "" || *jobopts.Endpoint != "" {
		return nil
	}
	at, err := workers()
	if err != nil {
		return fmt.Errorf("beam: runner %s: %w: %w", runner, err, ErrJob)
	}
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "external", at
	if *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = os.DevNull
	}
	return nil
}

// workers are those of this process, and live as long.
var workers = sync.OnceValues(func() (at string, err error) {
	ctx := context.Background()
	server, err := extworker.StartLoopback(ctx, 0)
	if err != nil {
		return "", err
	}
	return server.EnvironmentConfig(ctx), nil
})
