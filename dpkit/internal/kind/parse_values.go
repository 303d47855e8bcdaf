package kind

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parser reads the text of a plan from left to right.
type Parser struct {
	Text string
	At   int // byte
	deep int // values in values

	Variants func(t reflect.Type) []any // the structs that a parameter of an interface type may hold
}

// maxDepth is more than any parameter has.
const maxDepth = 16

// Fail is an error at the parser's place, which it names by its byte. It wraps [ErrParameter].
func (p *Parser) Fail(format string, args ...any) error {
	return fmt.Errorf("byte %d: "+format+": %w", append(append([]any{p.At}, args...), ErrParameter)...)
}

// Skip passes over blanks.
func (p *Parser) Skip() {
	for p.At < len(p.Text) && strings.IndexByte(" \t\r\n", p.Text[p.At]) >= 0 {
		p.At++
	}
}

func (p *Parser) next(token string) bool {
	p.Skip()
	return strings.HasPrefix(p.Text[p.At:], token)
}

// Take passes over blanks and the token; another text is an error, which says what stands there.
func (p *Parser) Take(token string) error {
	if !p.next(token) {
		return p.Fail("got %s, want %q", p.here(), token)
	}
	p.At += len(token)
	return nil
}

// here shows what stands at the place, for messages.
func (p *Parser) here() string {
	p.Skip()
	rest := p.Text[p.At:]
	if rest == "" {
		return "the end"
	}
	if len(rest) > 24 {
		cut := 24
		for cut > 0 && !utf8.RuneStart(rest[cut]) {
			cut--
		}
		rest = rest[:cut] + "…"
	}
	return strconv.Quote(rest)
}

// word is the identifier or the number at the place; "" if there is none.
func (p *Parser) word(number bool) string {
	p.Skip()
	end := p.At
	for end < len(p.Text) {
		c, size := utf8.DecodeRuneInString(p.Text[end:])
		letter := unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_'
		if !letter && !(number && (c == '.' || c == '-' || c == '+')) {
			break
		}
		end += size
	}
	return p.Text[p.At:end]
}

// Name reads the name of a step, of a struct or of an argument: letters, digits and _, no digit first.
func (p *Parser) Name() (string, error) {
	w := p.word(false)
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return "", p.Fail("got %s, want a name", p.here())
	}
	p.At += len(w)
	return w, nil
}

// PeekOption is the name of the struct literal that the arguments begin with; "" for other arguments.
func (p *Parser) PeekOption() string {
	was := p.At
	defer func() { p.At = was }()
	if p.Take("(") != nil {
		return ""
	}
	name, err := p.Name()
	if err != nil || !p.next("{") {
		return ""
	}
	return name
}

// Arguments reads those of a call, parentheses included, into the fields of its kind: the opposite of the function arguments, which
// writes them.
func (p *Parser) Arguments(v reflect.Value) error {
	if err := p.Take("("); err != nil {
		return err
	}
	first := true
	if err := p.fields(v, &first); err != nil {
		return err
	}
	if p.next(",") {
		was := p.At
		if p.At++; p.word(false) != "" {
			return p.Fail("no parameter %s", p.word(false))
		}
		p.At = was
	}
	return p.Take(")")
}

func (p *Parser) fields(v reflect.Value, first *bool) error {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		var err error
		switch tag := f.Tag.Get("dp"); {
		case tag == "-":
		case tag == "inline":
			err = p.Named(x, first)
		case tag == "base":
			err = p.fields(x, first)
		case x.Kind() == reflect.Slice && i == v.NumField()-1:
			err = p.Rest(x, first)
		default:
			if err = p.comma(first); err == nil {
				err = p.Value(x)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// comma passes to the next argument.
func (p *Parser) comma(first *bool) error {
	if *first {
		*first = false
		return nil
	}
	return p.Take(",")
}

// Rest reads the last arguments into a list.
func (p *Parser) Rest(list reflect.Value, first *bool) error {
	for !p.next(")") {
		if err := p.comma(first); err != nil {
			return err
		}
		item := reflect.New(list.Type().Elem()).Elem()
		if err := p.Value(item); err != nil {
			return err
		}
		list.Set(reflect.Append(list, item))
	}
	return nil
}

// Named reads named arguments for as long as there are any, the opposite of the function of that name; first says whether none stands
// before them.
func (p *Parser) Named(v reflect.Value, first *bool) error {
	for {
		was := p.At
		if !*first {
			if !p.next(",") {
				return nil
			}
			p.At++
		}
		name, err := p.Name()
		field, ok := fieldOf(v, name)
		value := err == nil && p.next("=")
		switch {
		case err != nil || !ok || !value && field.Kind() != reflect.Bool:
			p.At = was
			return nil
		case !field.IsZero():
			return p.Fail("%s is given twice", name)
		case !value:
			field.SetBool(true)
		default:
			p.At += len("=")
			if err := p.Value(field); err != nil {
				return err
			}
		}
		*first = false
	}
}

// fieldOf finds the field of a named argument, in embedded structs too.
func fieldOf(v reflect.Value, name string) (reflect.Value, bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			if x, ok := fieldOf(v.Field(i), name); ok {
				return x, true
			}
		} else if argumentName(f.Name) == name {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// readable is a [written] value that reads its text.
type readable interface {
	// Read is the opposite of Text: it reads the value at the parser's place. Its errors are those of [Parser.Fail].
	Read(p *Parser) error
}

// Value reads one into x: the opposite of the function value, which writes one. Texts of the value's own are read by its method Read.
func (p *Parser) Value(x reflect.Value) error {
	if p.deep++; p.deep > maxDepth {
		return p.Fail("more than %d values in one another", maxDepth)
	}
	defer func() { p.deep-- }()
	if r, ok := x.Addr().Interface().(readable); ok && HasText(x.Type()) {
		return r.Read(p)
	}
	switch x.Kind() {
	case reflect.String:
		p.Skip()
		quoted, err := strconv.QuotedPrefix(p.Text[p.At:])
		if err != nil {
			return p.Fail(`got %s, want a text in quotation marks`, p.here())
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return p.Fail(`got %s, want a text in quotation marks`, p.here())
		}
		p.At += len(quoted)
		x.SetString(text)
		return nil
	case reflect.Slice:
		return p.list(x)
	case reflect.Struct:
		return p.composite(x)
	case reflect.Interface:
		return p.variant(x)
	}
	return p.scalar(x)
}

// scalar reads a number or a truth value.
func (p *Parser) scalar(x reflect.Value) error {
	w := p.word(true)
	var err error
	switch x.Kind() {
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(w)
		x.SetBool(b)
	case reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(w, 64)
		x.SetFloat(f)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var u uint64
		u, err = strconv.ParseUint(w, 10, x.Type().Bits())
		x.SetUint(u)
	default:
		var i int64
		i, err = strconv.ParseInt(w, 10, x.Type().Bits())
		x.SetInt(i)
	}
	if err != nil {
		return p.Fail("got %s, want a value of type %v", p.here(), x.Kind())
	}
	p.At += len(w)
	return nil
}

func (p *Parser) list(x reflect.Value) error {
	if err := p.Take("["); err != nil {
		return err
	}
	for first := true; !p.next("]"); {
		if err := p.comma(&first); err != nil {
			return err
		}
		item := reflect.New(x.Type().Elem()).Elem()
		if err := p.Value(item); err != nil {
			return err
		}
		x.Set(reflect.Append(x, item))
	}
	return p.Take("]")
}

// composite reads a struct literal.
func (p *Parser) composite(x reflect.Value) error {
	if err := p.Take(x.Type().Name()); err != nil {
		return err
	}
	if err := p.Take("{"); err != nil {
		return err
	}
	for first := true; !p.next("}"); {
		if err := p.comma(&first); err != nil {
			return err
		}
		name, err := p.Name()
		if err != nil {
			return err
		}
		field := x.FieldByName(name)
		if !field.IsValid() || !field.CanSet() {
			return p.Fail("%s has no field %s", x.Type().Name(), name)
		}
		if !isZero(field) {
			return p.Fail("%s is given twice", name)
		}
		if err := p.Take(":"); err != nil {
			return err
		}
		if err := p.Value(field); err != nil {
			return err
		}
	}
	return p.Take("}")
}

// variant reads one of the structs that an interface stands for: that which is in x, or one of the known ones.
func (p *Parser) variant(x reflect.Value) error {
	ways := p.Variants(x.Type())
	if !x.IsNil() {
		ways = []any{x.Elem().Interface()}
	}
	name := p.word(false)
	if name == "nil" {
		p.At += len(name)
		x.SetZero()
		return nil
	}
	for _, w := range ways {
		if t := reflect.TypeOf(w); t.Name() == name {
			v := reflect.New(t).Elem()
			err := p.composite(v)
			x.Set(v)
			return err
		}
	}
	return p.Fail("got %s, want a %s", p.here(), GoName(x.Type()))
}
