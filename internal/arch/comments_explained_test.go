package arch

import (
	"go/ast"
	"go/parser"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// explained are the methods that interfaces explain, with the interface: a method of the same name and types has its comment
// there, and needs none of its own unless it does more. The interface may be one of a single method, which the comment of the
// interface explains.
var explained = []string{
	"dpkit/internal/kind.Kinded.Kind",
	"dpkit/internal/kind.frozen.WasText",
	"dpkit/internal/kind.renamed.IdentityText",
	"dpkit/internal/kind.written.Text",
	"dpkit/stage.Preprocessor.Check",
	"dpkit/stage.Preprocessor.Propagate",
	"dpkit/stage.Preprocessor.Fit",
	"dpkit/stage.Counter.Counted",
	"dpkit/stage.Deployer.Deploy",
	"dpkit/stage.Alternatives.Alternatives",
	"dpkit/internal/domain.ByColumn.Origin",
	"dpkit/internal/domain.LabelBlind.LabelBlind",
	"dpkit/internal/query.Spender.Expenses",
	"dpkit/internal/query.Spender.Measure",
	"dpkit/internal/query.PrivateFit.Learn",
	"dpkit/internal/query.Bounded.WithBounds",
	"dpkit/internal/query.targeted.Budget",
	"dpkit/internal/query.Asker.Asks",
	"dpkit/internal/query.Asker.Scope",
	"dpkit/internal/rows.state.Add",
	"dpkit/internal/rows.state.Merge",
	"dpkit/internal/rows.Coded.Code",
	"dpkit/internal/rows.Driver.Drive",
	"dpkit/internal/rows.Driver.Rows",
	"dpkit/internal/rows.Driver.Resident",
	"dpkit/internal/rows.Driver.InOrder",
	"dpkit/internal/rows.Rewriter.Rewrite",
	"frames.Source.Schema",
	"frames.Source.Rows",
	"frames.Source.Scan",
	"dpkit/internal/mechanism.Mechanism.Settle",
	"dpkit/internal/mechanism.Mechanism.Exact",
	"dpkit/internal/mechanism.Releaser.Zero",
	"dpkit/internal/mechanism.ColumnReader.ColumnsRead",
	"dpkit/internal/steps.Imputer.Imputer",
	"dpkit/internal/steps.Components.Pca",
	"dpkit/internal/steps.Deduper.Deduper",
	"dpkit/internal/steps.Winsorizer.Winsorizer",
	"dpkit/internal/steps.FeatureSelector.Selector",
	"dpkit/internal/steps.SpectralFilter.Constants",
	"dpkit/internal/steps.paid.PartOf",
	"dpkit/internal/mechanisms/unbounded.readsUnbounded.ReadsUnbounded",
	"dpkit/internal/mechanisms/sums.SumNoise.Price",
	"dpkit/internal/mechanisms/sums.SumNoise.Lattice",
	"dpkit/internal/mechanisms/sums.SumNoise.Sensitivity",
	"dpkit/internal/mechanisms/sums.SumNoise.Summand",
	"dpkit/internal/mechanisms/local.answerer.Read",
	"dpkit/internal/models.storedModel.Check",
	"dpkit/internal/mechanisms/glm.marginLoss.At",
	"dpkit/internal/mechanisms/glm.marginLoss.Bounds",
	"dpkit/internal/mechanisms/gradient.Loss.Reads",
	"dpkit/internal/mechanisms/gradient.Loss.Margins",
	"dpkit/internal/mechanisms/gradient.Loss.Value",
	"dpkit/internal/mechanisms/gradient.Loss.Slopes",
	"dpkit/internal/mechanisms/gradient.Loss.Factors",
	"dpkit/internal/mechanisms/gradient.Loss.Steepest",
	"dpkit/internal/mechanisms/gradient.Loss.Bend",
	"dpkit/internal/mechanisms/gradient.Loss.Lipschitz",
	"dpkit/internal/mechanisms/gradient.Loss.Defaults",
	"dpkit/internal/mechanisms/linear.LinearFit.Finish",
	"dpkit/internal/mechanisms/linear.LinearFit.Bill",
	"dpkit/internal/mechanisms/linear.LinearFit.Fit",
}

// standard are the methods that the language and the standard library explain.
var standard = map[string]string{
	"String() string":                 "fmt.Stringer",
	"Error() string":                  "error",
	"Unwrap() error":                  "errors.Unwrap",
	"Unwrap() []error":                "errors.Is",
	"MarshalJSON() ([]byte, error)":   "json.Marshaler",
	"UnmarshalJSON([]byte) error":     "json.Unmarshaler",
	"GobEncode() ([]byte, error)":     "gob.GobEncoder",
	"GobDecode([]byte) error":         "gob.GobDecoder",
	"MarshalBinary() ([]byte, error)": "encoding.BinaryMarshaler",
}

// An explanation is what an interface says of methods of a signature.
type explanation struct {
	by string
	of *regexp.Regexp
}

// explanations are the methods that the table names, each of which must be there and have its comment.
func (s *sources) explanations(t *testing.T) []explanation {
	var all []explanation
	for _, by := range explained {
		slash := strings.LastIndex(by, "/")
		parts := strings.Split(by[slash+1:], ".")
		if len(parts) != 3 {
			t.Fatalf("%s: want package.Interface.Method", by)
		}
		p := s.load(t, module+by[:slash+1]+parts[0])
		declared := p.types[parts[1]]
		if declared == nil {
			t.Errorf("%s: the package has no such interface", by)
			continue
		}
		methods := methodsOf(declared.spec)
		i := slices.IndexFunc(methods, func(m *ast.Field) bool { return m.Names[0].Name == parts[2] })
		if i < 0 || !explains(methods[i], methods, declared.commented) {
			t.Errorf("%s: the interface has no such method, or does not explain it", by)
			continue
		}
		pattern := regexp.QuoteMeta(signature(parts[2], methods[i].Type.(*ast.FuncType)))
		if declared.spec.TypeParams != nil {
			for _, f := range declared.spec.TypeParams.List {
				for _, n := range f.Names {
					pattern = regexp.MustCompile(`\b`+n.Name+`\b`).ReplaceAllString(pattern, `\S+`)
				}
			}
		}
		all = append(all, explanation{by, regexp.MustCompile("^" + pattern + "$")})
	}
	return all
}

var qualifier = regexp.MustCompile(`\b[a-z]\w*\.`)

// signature is a method's name and types, without the names of packages and parameters: two packages write one alike.
func signature(name string, f *ast.FuncType) string {
	list := func(l *ast.FieldList) []string {
		var all []string
		if l == nil {
			return nil
		}
		for _, f := range l.List {
			text := qualifier.ReplaceAllString(types.ExprString(f.Type), "")
			for range max(1, len(f.Names)) {
				all = append(all, text)
			}
		}
		return all
	}
	out := name + "(" + strings.Join(list(f.Params), ", ") + ")"
	switch results := list(f.Results); len(results) {
	case 0:
		return out
	case 1:
		return out + " " + results[0]
	default:
		return out + " (" + strings.Join(results, ", ") + ")"
	}
}

func TestSignature(t *testing.T) {
	for _, c := range []struct{ method, want string }{
		{"func()", "M()"},
		{"func(a, b int) error", "M(int, int) error"},
		{"func(st stage.Stage) (out []query.Expense, err error)", "M(Stage) ([]Expense, error)"},
		{"func(begin func() rows.Partial, in *frames.Schema)", "M(func() Partial, *Schema)"},
	} {
		t.Run(c.method, func(t *testing.T) {
			x, err := parser.ParseExpr(c.method)
			if err != nil {
				t.Fatal(err)
			}
			if got := signature("M", x.(*ast.FuncType)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
