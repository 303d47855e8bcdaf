package steps

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (b Bin) WasText() string {
	return kind.Call("Bin", append([]string{fmt.Sprint(b.Edges)}, kind.QuoteAll(b.Columns)...)...)
}

func (m CellMeans) WasText() string {
	return kind.Call("QuantizeMeans", append([]string{fmt.Sprintf("CellMean{Width: %g, Weight: %g}", m.Width, m.Weight)}, kind.QuoteAll(m.Columns)...)...)
}

func (Centering) WasText() string { return "Center()" }

func (c ClipNorm) WasText() string { return fmt.Sprintf("ClipNorm(%g)", c.R) }

func (c ClipColumns) WasText() string {
	return kind.Call("ClipColumns", append([]string{fmt.Sprintf("%g, %g", c.Lo, c.Hi)}, kind.QuoteAll(c.Columns)...)...)
}

func (e ExactDedup) WasText() string {
	return kind.Call("Dedup", append([]string{"Exact{}"}, kind.QuoteAll(e.Keys)...)...)
}

func (g GridDedup) WasText() string {
	arg := fmt.Sprintf("Grid{Width: %g, Representative: %s}", g.Width, g.Representative.was())
	return kind.Call("Dedup", append([]string{arg}, kind.QuoteAll(g.Keys)...)...)
}

// IdentityText: representatives had no prefix.
func (g GridDedup) IdentityText() string {
	var fields []string
	if g.Width != 0 {
		fields = append(fields, "Width: "+kind.Decimal(g.Width))
	}
	if g.Representative != CellCenter {
		fields = append(fields, "Representative: "+g.Representative.was())
	}
	arg := "Grid{" + strings.Join(fields, ", ") + "}"
	return kind.Call("Dedup", append([]string{arg}, kind.QuoteAll(g.Keys)...)...)
}

func (b BallDedup) WasText() string {
	return kind.Call("Dedup", append([]string{b.Ball.was()}, kind.QuoteAll(b.Keys)...)...)
}

func (e FrequencyEncode) WasText() string {
	return kind.Call("FrequencyEncode", kind.QuoteAll(e.Columns)...)
}

func (c MidpointImpute) WasText() string {
	return kind.Call("Impute", append([]string{"Midpoint{}"}, kind.QuoteAll(c.Columns)...)...)
}

func (f FixedImpute) WasText() string {
	return kind.Call("Impute", append([]string{fmt.Sprintf("Fixed{%g}", f.Value)}, kind.QuoteAll(f.Columns)...)...)
}

func (m MeanImpute) WasText() string {
	var args []string
	if m.Pad != 0 {
		args = append(args, fmt.Sprintf("Pad: %d", m.Pad))
	}
	arg := "Mean{" + strings.Join(append(args, m.masks().was()...), ", ") + "}"
	return kind.Call("Impute", append([]string{arg}, kind.QuoteAll(m.Columns)...)...)
}

func (m MedianImpute) WasText() string {
	arg := "Median{" + strings.Join(m.masks().was(), ", ") + "}"
	return kind.Call("Impute", append([]string{arg}, kind.QuoteAll(m.Columns)...)...)
}

func (m PrivateMeanImpute) WasText() string {
	return kind.Call("Impute", append([]string{fmt.Sprintf("PrivateMean{Share: %g}", m.Share)}, kind.QuoteAll(m.Columns)...)...)
}

func (r RidgeImpute) WasText() string {
	arg := fmt.Sprintf("Ridge{Lambda: %g", r.Lambda)
	if len(r.On) > 0 {
		arg += fmt.Sprintf(", On: %q", r.On)
	}
	if r.Pad != 0 {
		arg += fmt.Sprintf(", Pad: %d", r.Pad)
	}
	for _, c := range r.masks().was() {
		arg += ", " + c
	}
	if r.MinEigen.Given() {
		arg += ", MinEigen: " + r.MinEigen.Was()
	}
	return kind.Call("Impute", append([]string{arg + "}"}, kind.QuoteAll(r.Columns)...)...)
}

func (m TrimmedImpute) WasText() string {
	args := []string{fmt.Sprintf("Trim: %g", m.Trim)}
	if m.Pad != 0 {
		args = append(args, fmt.Sprintf("Pad: %d", m.Pad))
	}
	args = append(args, m.mean().masks().was()...)
	return kind.Call("Impute", append([]string{"TrimmedMean{" + strings.Join(args, ", ") + "}"}, kind.QuoteAll(m.Columns)...)...)
}

func (d Indicate) WasText() string { return kind.Call("Indicate", kind.QuoteAll(d.Columns)...) }

func (m Mutation) WasText() string {
	o := m.MutateOptions
	arg := fmt.Sprintf("MutateOptions{From: %q, Func: %q, Version: %q, Lo: %g, Hi: %g", o.From, o.Func, o.Version, o.Lo, o.Hi)
	if o.Lipschitz != 0 {
		arg += fmt.Sprintf(", Lipschitz: %g", o.Lipschitz)
	}
	return kind.Call("Mutate", fmt.Sprintf("%q", m.Name), arg+"}")
}

func (o OneHot) WasText() string { return kind.Call("OneHot", kind.QuoteAll(o.Columns)...) }

func (o Ordinal) WasText() string { return kind.Call("Ordinal", kind.QuoteAll(o.Columns)...) }

func (h Projector) WasText() string {
	return kind.Call("PCA", fmt.Sprintf("Hard{K: %d, Gap: %s}", h.K, h.Gap.Was()))
}

func (c PrivatePCA) WasText() string {
	return kind.Call("PCA", fmt.Sprintf("PrivateComponents{K: %d, Share: %g}", c.K, c.Share))
}

func (q QuantileBin) WasText() string {
	return kind.Call("QuantileBin", append([]string{fmt.Sprint(q.Bins)}, kind.QuoteAll(q.Columns)...)...)
}

func (q Quantize) WasText() string {
	return kind.Call("Quantize", append([]string{fmt.Sprintf("%g", q.Width)}, kind.QuoteAll(q.Columns)...)...)
}

func (b BallQuantize) WasText() string { return kind.Call("QuantizeBall", b.Ball.was()) }

func (r RankTransform) WasText() string {
	return kind.Call("RankTransform", kind.QuoteAll(r.Columns)...)
}

func (Scale) WasText() string { return "Scale()" }

func (s SoftSelection) WasText() string {
	return kind.Call("SelectFeatures", fmt.Sprintf("SoftSelect{%g}", s.Lambda))
}

func (e TargetEncode) WasText() string {
	return kind.Call("TargetEncode", append([]string{fmt.Sprintf("TargetPrior{Weight: %g, Value: %g}", e.Weight, e.Value)}, kind.QuoteAll(e.Columns)...)...)
}

func (s SmoothWinsor) WasText() string {
	return kind.Call("Winsorize", append([]string{fmt.Sprintf("SmoothedQuantile{Q: %g, Window: %g}", s.Q, s.Window)}, kind.QuoteAll(s.Columns)...)...)
}

func (w PublicWinsor) WasText() string {
	return kind.Call("Winsorize", append([]string{fmt.Sprintf("PublicQuantiles{Lo: %v, Hi: %v}", w.Lo, w.Hi)}, kind.QuoteAll(w.Columns)...)...)
}

func (s SpectralFit) WasText() string {
	var text string
	switch f := s.Filter.(type) {
	case SoftThreshold:
		text = fmt.Sprintf("SoftThreshold{%g", f.Lambda)
	case Tikhonov:
		text = fmt.Sprintf("Tikhonov{%g", f.Lambda)
	case Ramp:
		text = fmt.Sprintf("Ramp{Start: %g, Width: %g", f.Start, f.Width)
	}
	if s.Filter.centred() {
		text += ", Centered"
	}
	return kind.Call("PCA", text+"}")
}

func (c Choose) WasText() string { return kind.Call(c.Kind().Call, kind.QuoteAll(c.Columns)...) }

func (s Standardize) WasText() string {
	sized := func(floor, gain float64) string {
		if gain == 0 {
			return fmt.Sprintf("Floor: %g}", floor)
		}
		return fmt.Sprintf("Floor: %g, Gain: %g}", floor, gain)
	}
	var text string
	switch h := s.How.(type) {
	case Standard:
		text = "Standard{" + sized(h.Floor, h.Gain)
		if h.MinSpread.Given() {
			text = "Standard{MinSpread: " + h.MinSpread.Was() + ", " + sized(h.Floor, h.Gain)
		}
	case RMS:
		text = "RMS{" + sized(h.Floor, h.Gain)
	case PrivateRMS:
		text = fmt.Sprintf("PrivateRMS{Share: %g, ", h.Share) + sized(h.Floor, h.Gain)
	case PrivateStandard:
		text = fmt.Sprintf("PrivateStandard{Share: %g, ", h.Share) + sized(h.Floor, h.Gain)
	}
	return kind.Call("Standardize", append([]string{text}, kind.QuoteAll(s.Columns)...)...)
}

// was are the certificates as a chain wrote them in identities of version 5.
func (m maskCertificates) was() (out []string) {
	if m.missing.Given() {
		out = append(out, "MaxMissing: "+m.missing.Was())
	}
	if m.observed.Given() {
		out = append(out, "MinObserved: "+m.observed.Was())
	}
	return out
}

func (b Ball) was() string {
	if b.MaxBlock.Given() {
		return fmt.Sprintf("Ball{Eta: %g, MaxBlock: %s}", b.Eta, b.MaxBlock.Was())
	}
	s := fmt.Sprintf("Ball{Eta: %g, MaxCluster: %d", b.Eta, b.MaxCluster)
	if b.Declared {
		s += ", Declared: true"
	}
	return s + "}"
}
