package nb

import (
	"errors"
	"fmt"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// accept checks a new value against the one in the cell and returns it as Go.
func (p *parameter) accept(value string) (string, error) {
	old := constantOf(p.value)
	if p.typ == "string" || p.typ == "" && old != nil && old.Value.Kind() == constant.String {
		if got := constantOf(value); got != nil && got.Value.Kind() == constant.String && isOneExpression(value) {
			return strings.TrimSpace(value), nil // quoted already
		}
		return strconv.Quote(value), nil
	}
	value = strings.TrimSpace(value)
	if !isOneExpression(value) {
		return "", fmt.Errorf("got %q, want a Go value%s", value, p.like())
	}
	switch typ := p.basicType(old); {
	case typ != "": // a conversion of constants is refused where it would change the value
		got := constantOf(value)
		if got == nil || constantOf(typ+"("+value+")") == nil {
			return "", fmt.Errorf("got %s, want a constant of type %s%s", value, typ, p.like())
		}
	case p.constant && old != nil:
		got := constantOf(value)
		if got == nil || (got.Value.Kind() == constant.Bool) != (old.Value.Kind() == constant.Bool) || got.Value.Kind() == constant.String {
			return "", fmt.Errorf("got %s, want a constant%s", value, p.like())
		}
	}
	return value, nil
}

// like shows the value in the cell, as an example of what is wanted.
func (p *parameter) like() string {
	if p.value == "" {
		return ""
	}
	return " such as " + p.value
}

// basicType is the predeclared type of the parameter, "" where it has another or may have any.
func (p *parameter) basicType(old *types.TypeAndValue) string {
	if p.typ == "" {
		if p.constant || old == nil {
			return ""
		}
		return types.Default(old.Type).String()
	}
	if obj := types.Universe.Lookup(p.typ); obj != nil {
		if _, ok := obj.Type().Underlying().(*types.Basic); ok {
			return p.typ
		}
	}
	return ""
}

// constantOf evaluates a constant expression of predeclared names; nil where text is none.
func constantOf(text string) *types.TypeAndValue {
	if text == "" {
		return nil
	}
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil || tv.Value == nil || tv.Value.Kind() == constant.Unknown {
		return nil
	}
	return &tv
}

// isOneExpression says whether text is one Go expression on one line, and nothing behind it.
func isOneExpression(text string) bool {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\n\r") {
		return false
	}
	e, err := parser.ParseExpr(text)
	return err == nil && int(e.Pos()) == 1 && int(e.End()) == len(text)+1
}

func scannerErrors(err error) []*scanner.Error {
	var list scanner.ErrorList
	if errors.As(err, &list) {
		return list
	}
	return nil
}
