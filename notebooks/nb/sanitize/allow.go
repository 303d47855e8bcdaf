package sanitize

import "strings"

// words is a set of words.
func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// The elements and attributes that survive sanitising. Everything else loses its tag and keeps
// its content; those of droppedElements lose their content too.
var (
	htmlElements = words(`a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em
figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li mark meter nav ol p picture pre progress q rp rt ruby s samp section small
span strike strong style sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr audio video svg math`)
	svgElements = words(`svg g path rect circle ellipse line polyline polygon text tspan textPath defs symbol use linearGradient radialGradient stop clipPath mask pattern
marker title desc image style filter feGaussianBlur feOffset feBlend feColorMatrix feComposite feFlood feMerge feMergeNode feDropShadow a switch`)
	mathElements = words(`math mrow mi mo mn mtext mspace ms mfrac msqrt mroot mstyle merror mpadded mphantom mover munder munderover msub msup msubsup mmultiscripts mprescripts
mtable mtr mtd semantics annotation none`)
	droppedElements = words(`script template select datalist`)
	// The browser reads the content of these as text, not markup.
	rawElements  = words(`script style textarea title xmp iframe noembed noframes plaintext`)
	voidElements = words(`br hr img input col wbr`)

	htmlAttributes = words(`abbr align alt axis border cellpadding cellspacing char charoff cite class clear color colspan cols compact controls datetime dir
face frame headers height hidden high hspace id lang checked loop low max min muted nowrap open optimum ordinal reversed role rowspan rules scope size span start style summary tabindex
title type valign value vspace width bgcolor href src name`)
	svgAttributes = words(`alignment-baseline baseline-shift clip-path clip-rule clipPathUnits color color-interpolation-filters cx cy d direction display dominant-baseline dx dy fill fill-opacity fill-rule
filter flood-color flood-opacity font-family font-size font-style font-variant font-weight fx fy gradientTransform gradientUnits height href in in2 k1 k2 k3 k4 letter-spacing lengthAdjust
marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type maskUnits mode offset opacity operator orient overflow paint-order pathLength patternContentUnits patternTransform
patternUnits points preserveAspectRatio r refX refY result rotate rx ry shape-rendering spreadMethod startOffset stdDeviation stop-color stop-opacity stroke stroke-dasharray
stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width style text-anchor text-decoration text-rendering textLength transform transform-origin
type values vector-effect version viewBox visibility width word-spacing writing-mode x x1 x2 xlink:href xml:space xmlns xmlns:xlink y y1 y2`)
	mathAttributes = words(`accent accentunder alttext class columnspan depth dir display displaystyle encoding fence form height largeop linethickness lspace mathbackground mathcolor mathsize
mathvariant maxsize minsize movablelimits rowspan rspace scriptlevel separator stretchy symmetric voffset width xmlns`)
	// Attributes that hold the id of another element, or several.
	idAttributes = words(`id for headers aria-labelledby aria-describedby aria-controls aria-owns`)
)
