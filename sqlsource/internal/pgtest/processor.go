package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Processor is how many seconds of processor time the server has taken, those of its connections that ended with it; 0 where the system does not tell.
func Processor() float64 {
	if server.run == nil || server.run.Process == nil {
		return 0
	}
	var ticks int64
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		_, rest, ok := strings.Cut(string(b), ") ") // behind the program's name
		var state string
		var parent, skip, user, system, usedUser, usedSystem int64
		if _, err := fmt.Sscan(rest, &state, &parent, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &user, &system, &usedUser, &usedSystem); err != nil || !ok {
			continue
		}
		switch {
		case parent == int64(server.run.Process.Pid):
			ticks += user + system
		case filepath.Base(filepath.Dir(path)) == fmt.Sprint(server.run.Process.Pid):
			ticks += user + system + usedUser + usedSystem
		}
	}
	const perSecond = 100 // USER_HZ, on every architecture that Go knows
	return float64(ticks) / perSecond
}
