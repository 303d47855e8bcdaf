package funcsource

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Hash digests what can be seen of fn, a function, in the source of its program: the expression that handed it over (the call of
// call, skip frames above the caller), its own code, and of the same file the declarations that these name, and those
// that those name, with the assignments to local variables that they use. Comments and layout do not count. It is "" where the source
// cannot be seen: outside notebooks, whose cells are compiled just before they run, a file may be another than the program was made of.
func Hash(fn any, call string, skip int) string {
	if os.Getenv("GONB_TMP_DIR") == "" {
		return ""
	}
	f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
	if f == nil {
		return ""
	}
	own, ownLine := f.FileLine(f.Entry())
	_, by, byLine, _ := runtime.Caller(skip + 1)
	body := seen(own, func(s *source) []span { return s.functions(ownLine) })
	if body == "" {
		return "" // compiled without its place
	}
	handed := seen(by, func(s *source) []span { return s.calls(call, byLine) })
	sum := sha256.Sum256([]byte(body + "\n" + handed))
	return hex.EncodeToString(sum[:])
}

// seen is the text of the places that are found in a file, with what they name; "" where nothing is found.
func seen(file string, find func(*source) []span) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	s := read(data)
	found := find(s)
	if len(found) == 0 {
		return ""
	}
	return s.text(found)
}

// text joins the tokens of places and of all that they name, in an order that does not depend on where a file has them.
func (s *source) text(found []span) string {
	var out []string
	taken := map[span]bool{}
	for todo := slices.Clone(found); len(todo) > 0; {
		at := todo[0]
		if todo = todo[1:]; taken[at] {
			continue
		}
		taken[at] = true
		out = append(out, s.words(at))
		own := s.parameters(at)
		for i := at.from; i < at.to; i++ {
			if inner := s.functionAt(i); i > at.from && inner.to > i { // with parameters of its own
				todo = append(todo, inner)
				i = inner.to - 1
				continue
			}
			name := s.tokens[i].text
			if !s.names(i) || own[name] {
				continue
			}
			todo = append(todo, s.declared[name]...)
			assigned := s.assigned(name, at)
			todo = append(todo, assigned...)
			if len(assigned) > 0 { // in order, and as often as they stand there
				text := name
				for _, place := range assigned {
					text += "\n\t" + s.words(place)
				}
				out = append(out, text)
			}
			if path := s.imported[name]; path != "" {
				out = append(out, name+" "+path)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), "\n")
}

// words are the tokens of a place, but for commas and semicolons that only a layout asks for.
func (s *source) words(at span) string {
	var b strings.Builder
	for i := at.from; i < at.to; i++ {
		t := s.tokens[i].text
		if (t == "," || t == ";") && (i+1 == at.to || strings.Contains(")]}", s.tokens[i+1].text)) {
			continue
		}
		b.WriteString(t)
		b.WriteByte(' ')
	}
	return b.String()
}
