package export

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// directives are what the comments of a cell ask for.
type directives struct {
	test, skip, noEval, slow bool

	name      string
	output    string // as in celltest.Cell
	wanted    []string
	tolerance float64
	exit      int // -1: any but 0
	timeout   time.Duration
	seed      string
}

// Also the form that gofmt makes of it.
var directiveLine = regexp.MustCompile(`^\s*// ?\|\s*(.*?)\s*$`)

// set applies one directive.
func (d *directives) set(text string) (err error) {
	key, value, hasValue := strings.Cut(text, ":")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	switch key {
	case "test", "skip", "slow":
		if hasValue && value != "true" && value != "false" {
			return fmt.Errorf("directive %s: got %q, want nothing, true or false", key, value)
		}
		*map[string]*bool{"test": &d.test, "skip": &d.skip, "slow": &d.slow}[key] = value != "false"
		return nil
	case "eval", "name", "output", "exit", "timeout", "seed", "exercise":
		if value == "" {
			return fmt.Errorf("directive %s: no value, want %s: …", key, key)
		}
	default:
		return fmt.Errorf("unknown directive %q, want test, skip, eval, slow, name, output, exit, timeout, seed or exercise", key)
	}
	switch key {
	case "eval":
		if value != "true" && value != "false" {
			return fmt.Errorf("directive eval: got %q, want true or false", value)
		}
		d.noEval = value == "false"
	case "name":
		d.name = value
	case "output":
		return d.setOutput(value)
	case "exit":
		if value == "any" {
			d.exit = -1
		} else if d.exit, err = strconv.Atoi(value); err != nil || d.exit < 0 || d.exit > 255 {
			return fmt.Errorf("directive exit: got %q, want 0 to 255 or any", value)
		}
	case "timeout":
		if d.timeout, err = time.ParseDuration(value); err != nil || d.timeout <= 0 {
			return fmt.Errorf("directive timeout: got %q, want a duration such as 30s", value)
		}
	case "seed":
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return fmt.Errorf("directive seed: got %q, want a whole number", value)
		}
		d.seed = value
	}
	return nil
}

func (d *directives) setOutput(value string) error {
	mode, rest, _ := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	if tolerance, ok := strings.CutPrefix(mode, "approx="); ok && rest == "" {
		x, err := strconv.ParseFloat(tolerance, 64)
		if err != nil || !(x >= 0) || x > 1 {
			return fmt.Errorf("directive output: got the tolerance %q, want a number from 0 to 1", tolerance)
		}
		d.output, d.tolerance = "approx", x
		return nil
	}
	switch {
	case mode == "exact" && rest == "":
		d.output = ""
	case (mode == "unordered" || mode == "ignore") && rest == "":
		d.output = mode
	case (mode == "contains" || mode == "regexp") && rest != "":
		if mode == "regexp" {
			if _, err := regexp.Compile("(?m)" + rest); err != nil {
				return fmt.Errorf("directive output: %w", err)
			}
		}
		if d.output != mode {
			d.wanted = nil
		}
		d.output = mode
		d.wanted = append(d.wanted, rest)
	default:
		return fmt.Errorf("directive output: got %q, want exact, unordered, ignore, contains TEXT, regexp RE or approx=1e-6", value)
	}
	return nil
}
