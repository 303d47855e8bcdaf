package dpkit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads the text of a plan from left to right.
type parser struct {
	text string
	at   int // byte
	deep int // values in values

	variants func(t reflect.Type) []any // the structs that a parameter of an interface type may hold
}

// maxDepth is more than any parameter has.
const maxDepth = 16

func (p *parser) fail(format string, args ...any) error {
	return fmt.Errorf("byte %d: "+format+": %w", append(append([]any{p.at}, args...), ErrParameter)...)
}

// skip passes over blanks.
func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) next(token string) bool {
	p.skip()
	return strings.HasPrefix(p.text[p.at:], token)
}

func (p *parser) take(token string) error {
	if !p.next(token) {
		return p.fail("got %s, want %q", p.here(), token)
	}
	p.at += len(token)
	return nil
}

// here shows what stands at the place, for messages.
func (p *parser) here() string {
	p.skip()
	rest := p.text[p.at:]
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
func (p *parser) word(number bool) string {
	p.skip()
	end := p.at
	for end < len(p.text) {
		c, size := utf8.DecodeRuneInString(p.text[end:])
		letter := unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_'
		if !letter && !(number && (c == '.' || c == '-' || c == '+')) {
			break
		}
		end += size
	}
	return p.text[p.at:end]
}

func (p *parser) name() (string, error) {
	w := p.word(false)
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return "", p.fail("got %s, want a name", p.here())
	}
	p.at += len(w)
	return w, nil
}

// peekOption is the name of the struct literal that the arguments begin with; "" for other arguments.
func (p *parser) peekOption() string {
	was := p.at
	defer func() { p.at = was }()
	if p.take("(") != nil {
		return ""
	}
	name, err := p.name()
	if err != nil || !p.next("{") {
		return ""
	}
	return name
}

// arguments reads those of a call into the fields of its kind: the opposite of the function arguments.
func (p *parser) arguments(v reflect.Value) error {
	if err := p.take("("); err != nil {
		return err
	}
	first := true
	if err := p.fields(v, &first); err != nil {
		return err
	}
	if p.next(",") {
		was := p.at
		if p.at++; p.word(false) != "" {
			return p.fail("no parameter %s", p.word(false))
		}
		p.at = was
	}
	return p.take(")")
}

func (p *parser) fields(v reflect.Value, first *bool) error {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		var err error
		switch tag := f.Tag.Get("dp"); {
		case tag == "-":
		case tag == "inline":
			err = p.named(x, first)
		case tag == "base":
			err = p.fields(x, first)
		case x.Kind() == reflect.Slice && i == v.NumField()-1:
			err = p.rest(x, first)
		default:
			if err = p.comma(first); err == nil {
				err = p.value(x)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// comma passes to the next argument.
func (p *parser) comma(first *bool) error {
	if *first {
		*first = false
		return nil
	}
	return p.take(",")
}

// rest reads the last arguments into a list.
func (p *parser) rest(list reflect.Value, first *bool) error {
	for !p.next(")") {
		if err := p.comma(first); err != nil {
			return err
		}
		item := reflect.New(list.Type().Elem()).Elem()
		if err := p.value(item); err != nil {
			return err
		}
		list.Set(reflect.Append(list, item))
	}
	return nil
}

// named reads named arguments for as long as there are any.
func (p *parser) named(v reflect.Value, first *bool) error {
	for {
		was := p.at
		if !*first {
			if !p.next(",") {
				return nil
			}
			p.at++
		}
		name, err := p.name()
		field, ok := fieldOf(v, name)
		value := err == nil && p.next("=")
		switch {
		case err != nil || !ok || !value && field.Kind() != reflect.Bool:
			p.at = was
			return nil
		case !field.IsZero():
			return p.fail("%s is given twice", name)
		case !value:
			field.SetBool(true)
		default:
			p.at += len("=")
			if err := p.value(field); err != nil {
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
type readable interface{ read(p *parser) error }

// value reads one into x: the opposite of the function value.
func (p *parser) value(x reflect.Value) error {
	if p.deep++; p.deep > maxDepth {
		return p.fail("more than %d values in one another", maxDepth)
	}
	defer func() { p.deep-- }()
	if r, ok := x.Addr().Interface().(readable); ok && hasText(x.Type()) {
		return r.read(p)
	}
	switch x.Kind() {
	case reflect.String:
		p.skip()
		quoted, err := strconv.QuotedPrefix(p.text[p.at:])
		if err != nil {
			return p.fail(`got %s, want a text in quotation marks`, p.here())
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return p.fail(`got %s, want a text in quotation marks`, p.here())
		}
		p.at += len(quoted)
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
func (p *parser) scalar(x reflect.Value) error {
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
		return p.fail("got %s, want a value of type %v", p.here(), x.Kind())
	}
	p.at += len(w)
	return nil
}

func (p *parser) list(x reflect.Value) error {
	if err := p.take("["); err != nil {
		return err
	}
	for first := true; !p.next("]"); {
		if err := p.comma(&first); err != nil {
			return err
		}
		item := reflect.New(x.Type().Elem()).Elem()
		if err := p.value(item); err != nil {
			return err
		}
		x.Set(reflect.Append(x, item))
	}
	return p.take("]")
}

// composite reads a struct literal.
func (p *parser) composite(x reflect.Value) error {
	if err := p.take(x.Type().Name()); err != nil {
		return err
	}
	if err := p.take("{"); err != nil {
		return err
	}
	for first := true; !p.next("}"); {
		if err := p.comma(&first); err != nil {
			return err
		}
		name, err := p.name()
		if err != nil {
			return err
		}
		field := x.FieldByName(name)
		if !field.IsValid() || !field.CanSet() {
			return p.fail("%s has no field %s", x.Type().Name(), name)
		}
		if !isZero(field) {
			return p.fail("%s is given twice", name)
		}
		if err := p.take(":"); err != nil {
			return err
		}
		if err := p.value(field); err != nil {
			return err
		}
	}
	return p.take("}")
}

// variant reads one of the structs that an interface stands for: that which is in x, or one of the known ones.
func (p *parser) variant(x reflect.Value) error {
	ways := p.variants(x.Type())
	if !x.IsNil() {
		ways = []any{x.Elem().Interface()}
	}
	name := p.word(false)
	for _, w := range ways {
		if t := reflect.TypeOf(w); t.Name() == name {
			v := reflect.New(t).Elem()
			err := p.composite(v)
			x.Set(v)
			return err
		}
	}
	return p.fail("got %s, want a %s", p.here(), goName(x.Type()))
}
