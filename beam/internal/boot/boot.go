package boot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Work works for the runner at an endpoint, until it ends. The worker's name and the endpoint are what the runner gives its command by -id and
// -provision_endpoint.
func Work(ctx context.Context, id, endpoint string) error {
	// Prism 2.77.0 puts the name into quotes, which no shell takes away, and knows nobody of that name: Beam's own program fails there.
	id = strings.Trim(id, "'")
	if id == "" || endpoint == "" {
		return errors.New("beam: worker: got no -id or no -provision_endpoint, want both, as a runner gives them to the command of -environment_config")
	}
	ctx = grpcx.WriteWorkerID(ctx, id)
	info, err := tools.ProvisionInfo(ctx, endpoint)
	if err != nil {
		return fmt.Errorf("beam: worker: %w", err)
	}
	at := func(url string) string {
		if url == "" { // Prism has one for all
			return endpoint
		}
		return url
	}
	return harness.MainWithOptions(ctx, at(info.GetLoggingEndpoint().GetUrl()), at(info.GetControlEndpoint().GetUrl()), harness.Options{
		StatusEndpoint:     info.GetStatusEndpoint().GetUrl(),
		RunnerCapabilities: info.GetRunnerCapabilities(),
	})
}
