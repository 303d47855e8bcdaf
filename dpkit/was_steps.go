package dpkit

import (
	"fmt"
	"strings"
)

func (b bin) wasText() string {
	return call("Bin", append([]string{fmt.Sprint(b.Edges)}, quoteAll(b.Columns)...)...)
}

func (m cellMean) wasText() string {
	return call("QuantizeMeans", append([]string{fmt.Sprintf("CellMean{Width: %g, Weight: %g}", m.Width, m.Weight)}, quoteAll(m.Columns)...)...)
}

func (center) wasText() string { return "Center()" }

func (c clipNorm) wasText() string { return fmt.Sprintf("ClipNorm(%g)", c.R) }

func (c clipColumns) wasText() string {
	return call("ClipColumns", append([]string{fmt.Sprintf("%g, %g", c.Lo, c.Hi)}, quoteAll(c.Columns)...)...)
}

func (e exactDedup) wasText() string {
	return call("Dedup", append([]string{"Exact{}"}, quoteAll(e.Keys)...)...)
}

func (g gridDedup) wasText() string {
	arg := fmt.Sprintf("Grid{Width: %g, Representative: %v}", g.Width, g.Representative)
	return call("Dedup", append([]string{arg}, quoteAll(g.Keys)...)...)
}

func (b ballDedup) wasText() string {
	return call("Dedup", append([]string{b.Ball.was()}, quoteAll(b.Keys)...)...)
}

func (e frequencyEncode) wasText() string { return call("FrequencyEncode", quoteAll(e.Columns)...) }

func (c midpointImpute) wasText() string {
	return call("Impute", append([]string{"Midpoint{}"}, quoteAll(c.Columns)...)...)
}

func (f fixedImpute) wasText() string {
	return call("Impute", append([]string{fmt.Sprintf("Fixed{%g}", f.Value)}, quoteAll(f.Columns)...)...)
}

func (m meanImpute) wasText() string {
	var args []string
	if m.Pad != 0 {
		args = append(args, fmt.Sprintf("Pad: %d", m.Pad))
	}
	arg := "Mean{" + strings.Join(append(args, m.masks().was()...), ", ") + "}"
	return call("Impute", append([]string{arg}, quoteAll(m.Columns)...)...)
}

func (m medianImpute) wasText() string {
	arg := "Median{" + strings.Join(m.masks().was(), ", ") + "}"
	return call("Impute", append([]string{arg}, quoteAll(m.Columns)...)...)
}

func (m privateMeanImpute) wasText() string {
	return call("Impute", append([]string{fmt.Sprintf("PrivateMean{Share: %g}", m.Share)}, quoteAll(m.Columns)...)...)
}

func (r ridgeImpute) wasText() string {
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
	if r.MinEigen.given() {
		arg += ", MinEigen: " + r.MinEigen.was()
	}
	return call("Impute", append([]string{arg + "}"}, quoteAll(r.Columns)...)...)
}

func (m trimmedImpute) wasText() string {
	args := []string{fmt.Sprintf("Trim: %g", m.Trim)}
	if m.Pad != 0 {
		args = append(args, fmt.Sprintf("Pad: %d", m.Pad))
	}
	args = append(args, m.mean().masks().was()...)
	return call("Impute", append([]string{"TrimmedMean{" + strings.Join(args, ", ") + "}"}, quoteAll(m.Columns)...)...)
}

func (d indicate) wasText() string { return call("Indicate", quoteAll(d.Columns)...) }

func (m mutation) wasText() string {
	o := m.MutateOptions
	arg := fmt.Sprintf("MutateOptions{From: %q, Func: %q, Version: %q, Lo: %g, Hi: %g", o.From, o.Func, o.Version, o.Lo, o.Hi)
	if o.Lipschitz != 0 {
		arg += fmt.Sprintf(", Lipschitz: %g", o.Lipschitz)
	}
	return call("Mutate", fmt.Sprintf("%q", m.Name), arg+"}")
}

func (o oneHot) wasText() string { return call("OneHot", quoteAll(o.Columns)...) }

func (o ordinal) wasText() string { return call("Ordinal", quoteAll(o.Columns)...) }

func (h projector) wasText() string {
	return call("PCA", fmt.Sprintf("Hard{K: %d, Gap: %s}", h.K, h.Gap.was()))
}

func (c privatePCA) wasText() string {
	return call("PCA", fmt.Sprintf("PrivateComponents{K: %d, Share: %g}", c.K, c.Share))
}

func (q quantileBin) wasText() string {
	return call("QuantileBin", append([]string{fmt.Sprint(q.Bins)}, quoteAll(q.Columns)...)...)
}

func (q quantize) wasText() string {
	return call("Quantize", append([]string{fmt.Sprintf("%g", q.Width)}, quoteAll(q.Columns)...)...)
}

func (b ballQuantize) wasText() string { return call("QuantizeBall", b.Ball.was()) }

func (r rankTransform) wasText() string { return call("RankTransform", quoteAll(r.Columns)...) }

func (scale) wasText() string { return "Scale()" }

func (s softSelect) wasText() string {
	return call("SelectFeatures", fmt.Sprintf("SoftSelect{%g}", s.Lambda))
}

func (e targetEncode) wasText() string {
	return call("TargetEncode", append([]string{fmt.Sprintf("TargetPrior{Weight: %g, Value: %g}", e.Weight, e.Value)}, quoteAll(e.Columns)...)...)
}

func (s smoothWinsor) wasText() string {
	return call("Winsorize", append([]string{fmt.Sprintf("SmoothedQuantile{Q: %g, Window: %g}", s.Q, s.Window)}, quoteAll(s.Columns)...)...)
}

func (w publicWinsor) wasText() string {
	return call("Winsorize", append([]string{fmt.Sprintf("PublicQuantiles{Lo: %v, Hi: %v}", w.Lo, w.Hi)}, quoteAll(w.Columns)...)...)
}

func (s spectralFit) wasText() string {
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
	return call("PCA", text+"}")
}

func (c choose) wasText() string { return call(c.kind().call, quoteAll(c.Columns)...) }

func (s standardize) wasText() string {
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
		if h.MinSpread.given() {
			text = "Standard{MinSpread: " + h.MinSpread.was() + ", " + sized(h.Floor, h.Gain)
		}
	case RMS:
		text = "RMS{" + sized(h.Floor, h.Gain)
	case PrivateRMS:
		text = fmt.Sprintf("PrivateRMS{Share: %g, ", h.Share) + sized(h.Floor, h.Gain)
	case PrivateStandard:
		text = fmt.Sprintf("PrivateStandard{Share: %g, ", h.Share) + sized(h.Floor, h.Gain)
	}
	return call("Standardize", append([]string{text}, quoteAll(s.Columns)...)...)
}
