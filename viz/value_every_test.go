package viz

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/sketch"
)

// released are a value of every type of dpkit that carries a guarantee, and of what is made of a sketch.
var released = map[string]any{
	"Estimates": dpkit.Estimates{}, "QuantileEstimate": dpkit.QuantileEstimate{}, "GramMatrix": dpkit.GramMatrix{}, "Sketch": dpkit.Sketch{},
	"LogisticModel": dpkit.LogisticModel{}, "LinearModel": dpkit.LinearModel{}, "MultinomialModel": dpkit.MultinomialModel{},
	"GradientModel": dpkit.GradientModel{}, "UnboundedModel": dpkit.UnboundedModel{}, "Moments": dpkit.Moments{},
	"MeanEstimate": dpkit.MeanEstimate{}, "ClassModel": dpkit.ClassModel{}, "RateModel": dpkit.RateModel{}, "Table": dpkit.Table{},
	"Choice": dpkit.Choice{}, "Ranking": dpkit.Ranking{}, "Score": dpkit.Score{}, "CorrelationMatrix": dpkit.CorrelationMatrix{}, "Series": dpkit.Series{},
	"TableTotals": dpkit.TableTotals{},
}

// TestEveryReleasedTypeShows: each type that carries a guarantee, as dpkit's comments list them, prints it, shows it and converts with it.
func TestEveryReleasedTypeShows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "dpkit", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE && strings.Contains(d.Doc.Text(), "\tProvenance\n") {
				names[d.Specs[0].(*ast.TypeSpec).Name.Name] = true
			}
			return true
		})
	}
	if len(names) < 10 {
		t.Fatalf("only %d types of dpkit say that they carry a guarantee", len(names))
	}
	for name := range names {
		if released[name] == nil {
			t.Errorf("no value of dpkit.%s is shown here", name)
		}
	}
	values := map[string]any{"sketch.Regression": sketch.Regression{}, "sketch.Components": sketch.Components{}}
	for name, v := range released {
		if !names[name] {
			t.Errorf("dpkit.%s does not say that it carries a guarantee", name)
		}
		values[name] = v
	}
	o := dpkit.Provenance{
		Counted: "at most 3 rows a person; rows beyond are not counted",
		Release: "Mean", Unit: "row", Dataset: "visits",
		Guarantee: &accountant.Guarantee{Budget: accountant.Budget{Epsilon: 0.5, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}, Route: "exact"},
	}
	for name, of := range values {
		t.Run(name, func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(of))
			v.Elem().FieldByName("Provenance").Set(reflect.ValueOf(o))
			if text := fmt.Sprint(v.Elem().Interface()); !strings.Contains(text, "(0.5, 1e-06)-DP, replace-one") || !strings.Contains(text, o.WhatCounts()) {
				t.Errorf("it prints %s", text)
			}
			view := value(v.Interface())
			for form, text := range map[string]string{"words": view.Text(), "HTML": view.HTML()} {
				if !strings.Contains(text, "0.5") || !strings.Contains(text, "replace-one") || !strings.Contains(text, "rows beyond are not counted") {
					t.Errorf("as %s it shows\n%s", form, text)
				}
			}
			if _, ok := v.Interface().(interface{ Gota() dataframe.DataFrame }); !ok {
				t.Errorf("%s has no Gota method", name)
			}
		})
	}
}
