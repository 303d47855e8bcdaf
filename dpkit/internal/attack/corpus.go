package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// A Corpus holds the pairs that attained the most, by the name of what was attacked and the constant.
type Corpus map[string]map[string]Attained

// Attained is a stored pair, its rows as [Pair.String] writes them.
type Attained struct {
	Share float64  `json:"share"`
	Made  string   `json:"made,omitempty"`
	Rows  []string `json:"rows"`
}

// LoadCorpus reads a file that [Corpus.Save] wrote; one that is not there is empty.
func LoadCorpus(path string) (Corpus, error) {
	c := Corpus{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("attack: corpus: %w", err)
	}
	return c, nil
}

// Save writes the corpus.
func (c Corpus) Save(path string) error {
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return fmt.Errorf("attack: corpus: %w", err)
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Pairs returns the stored pairs of a name, rows of so many cells. A pair that no longer fits the subject is an error: it is taken
// out by a long search.
func (c Corpus) Pairs(name string, cells int) ([]Pair, error) {
	var pairs []Pair
	var seen []string
	for _, k := range constantNames {
		stored, ok := c[name][k]
		if text := strings.Join(stored.Rows, "\n"); !ok || slices.Contains(seen, text) {
			continue
		} else {
			seen = append(seen, text)
		}
		p, err := ParsePair(stored.Rows, cells)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", name, k, err)
		}
		p.Made = stored.Made
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// Keep stores what was attained, of constants of which that is more than what is stored.
func (c Corpus) Keep(name string, f Found) {
	for k, share := range f.Best {
		word := Constant(k).String()
		if share == 0 || !(share > c[name][word].Share*(1+1e-6)) {
			continue
		}
		if c[name] == nil {
			c[name] = map[string]Attained{}
		}
		p := f.Pairs[k]
		c[name][word] = Attained{Share: share, Made: p.Made, Rows: strings.Split(p.String(), "\n")}
	}
}
