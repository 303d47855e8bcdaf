package kernel

import (
	"os/exec"
	"strconv"
	"strings"
)

// anyAlive says whether one of the processes runs. A zombie that nobody has collected does not.
func anyAlive(ids []int) bool {
	for _, id := range ids {
		out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(id)).Output()
		if state := strings.TrimSpace(string(out)); err == nil && state != "" && state[0] != 'Z' {
			return true
		}
	}
	return false
}
