package mathml

import (
	"strconv"
	"strings"
	"sync"
)

// mathSymbol is what a command such as \leq draws.
type mathSymbol struct {
	text   string
	class  mathClass
	letter bool // follows the current alphabet
	limits bool
}

type mathSymbolTable struct {
	byName map[string]mathSymbol
	byRune map[rune]mathSymbol
}

// Lists of name and character, in the order of the LaTeX symbol tables.
const (
	mathLetters = `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ varkappa ϰ
lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω imath ı jmath ȷ`
	mathOrdinary = `infty ∞ partial ∂ nabla ∇ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ ell ℓ hbar ℏ hslash ℏ Re ℜ Im ℑ wp ℘ aleph ℵ beth ℶ
prime ′ angle ∠ triangle △ square □ Box □ blacksquare ■ qed ■ diamondsuit ♢ heartsuit ♡ clubsuit ♣ spadesuit ♠ top ⊤ bot ⊥ surd √ degree ° circledR ® checkmark ✓
dag † ddag ‡ S § P ¶ copyright © pounds £ euro € # # $ $ % % & & _ _ backslash \ flat ♭ natural ♮ sharp ♯ complement ∁ eth ð lightning ↯ Bbbk 𝕜 mho ℧ vert | Vert ‖ | ‖`
	mathBinary = `pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧
setminus ∖ smallsetminus ∖ wr ≀ amalg ⨿ dagger † ddagger ‡ boxplus ⊞ boxtimes ⊠ barwedge ⊼ veebar ⊻ ltimes ⋉ rtimes ⋊ triangleleft ◃ triangleright ▹ diamond ⋄ bigcirc ◯ centerdot ⋅ intercal ⊺`
	mathRelations = `leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ varpropto ∝ asymp ≍ doteq ≐ ll ≪ gg ≫ lll ⋘ ggg ⋙ leqslant ⩽ geqslant ⩾ lt < gt >
prec ≺ succ ≻ preceq ⪯ succeq ⪰ preccurlyeq ≼ succcurlyeq ≽ lesssim ≲ gtrsim ≳ lessgtr ≶ nleq ≰ ngeq ≱ nless ≮ ngtr ≯ approxeq ≊ thickapprox ≈ thicksim ∼ eqsim ≂ triangleq ≜ coloneqq ≔ coloneq ≔ eqqcolon ≕ eqcolon ≕ defeq ≝ Coloneqq ⩴
in ∈ notin ∉ ni ∋ owns ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ nsupseteq ⊉ sqsubseteq ⊑ sqsupseteq ⊒ perp ⟂ parallel ∥ nparallel ∦ mid ∣ nmid ∤ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ nsim ≁ ncong ≇
smile ⌣ frown ⌢ bowtie ⋈ Join ⋈ because ∵ therefore ∴ between ≬
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺
uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼ leftharpoondown ↽ rightleftharpoons ⇌ leftrightarrows ⇆ rightrightarrows ⇉ rightsquigarrow ⇝ leadsto ⇝ nrightarrow ↛ nleftarrow ↚ nRightarrow ⇏ twoheadrightarrow ↠ rightarrowtail ↣ xmapsto ↦`
	mathBigLimits   = `sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆`
	mathBigIntegral = `int ∫ iint ∬ iiint ∭ oint ∮ smallint ∫`
	mathOpening     = `langle ⟨ lfloor ⌊ lceil ⌈ lbrace { { { lvert | lVert ‖ lbrack [ lparen ( ulcorner ⌜ llbracket ⟦ lgroup ⟮`
	mathClosing     = `rangle ⟩ rfloor ⌋ rceil ⌉ rbrace } } } rvert | rVert ‖ rbrack ] rparen ) urcorner ⌝ rrbracket ⟧ rgroup ⟯`
	mathInners      = `ldots … dots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ dotsi ⋯ vdots ⋮ ddots ⋱ iddots ⋰`
)

var mathSymbols = sync.OnceValue(func() mathSymbolTable {
	t := mathSymbolTable{map[string]mathSymbol{}, map[rune]mathSymbol{}}
	add := func(list string, s mathSymbol) {
		words := strings.Fields(list)
		for i := 0; i+1 < len(words); i += 2 {
			s.text = words[i+1]
			t.byName[words[i]] = s
			if r := []rune(s.text); len(r) == 1 && r[0] > 0x7F {
				if _, ok := t.byRune[r[0]]; !ok {
					t.byRune[r[0]] = s
				}
			}
		}
	}
	add(mathLetters, mathSymbol{letter: true})
	add(mathOrdinary, mathSymbol{})
	add(mathBinary, mathSymbol{class: mathBin})
	add(mathRelations, mathSymbol{class: mathRel})
	add(mathBigLimits, mathSymbol{class: mathOp, limits: true})
	add(mathBigIntegral, mathSymbol{class: mathOp})
	add(mathOpening, mathSymbol{class: mathOpen})
	add(mathClosing, mathSymbol{class: mathClose})
	add(mathInners, mathSymbol{class: mathInner})
	t.byName["colon"] = mathSymbol{text: ":", class: mathPunct}
	return t
})

// mathChars are the ASCII characters other than letters and digits.
var mathChars = map[rune]mathSymbol{
	'+': {text: "+", class: mathBin}, '*': {text: "∗", class: mathBin},
	'=': {text: "=", class: mathRel}, '<': {text: "<", class: mathRel}, '>': {text: ">", class: mathRel}, ':': {text: ":", class: mathRel},
	'(': {text: "(", class: mathOpen}, '[': {text: "[", class: mathOpen}, ')': {text: ")", class: mathClose}, ']': {text: "]", class: mathClose},
	'!': {text: "!", class: mathClose}, '?': {text: "?", class: mathClose}, ',': {text: ",", class: mathPunct}, ';': {text: ";", class: mathPunct},
	'/': {text: "/"}, '|': {text: "|"}, '.': {text: "."}, '"': {text: "″"}, '`': {text: "‘"}, '@': {text: "@"},
}

// mathOperator is an mo element with the spacing of its class where MathML would give another.
func mathOperator(s mathSymbol, c mathClass) *mathNode {
	n := mathLeaf("mo", s.text, c)
	n.limits = s.limits
	switch {
	case c == mathOpen:
		return mathFence(s.text, c)
	case c == mathClose && s.text != "!" && s.text != "?":
		return mathFence(s.text, c)
	case c == mathClose, c == mathOrd:
		n.set("stretchy", "false").pad("0", "0")
	case c == mathInner:
		n.pad("0.1667em", "0.1667em")
	case c == mathPunct:
		n.pad("0", "0.1667em")
		if s.text == ":" {
			n.pad("0", "0.2778em")
		}
	case c == mathRel && strings.ContainsAny(s.text, ":∣∥⟂→←↑↓⇒⇐↔⇔↦"):
		n.set("stretchy", "false").pad("0.2778em", "0.2778em")
	case s.text == "mod":
		n.pad("0.2222em", "0.2222em")
	}
	return n
}

// mathFence is a delimiter that keeps its natural size until it is told to stretch.
func mathFence(s string, c mathClass) *mathNode {
	n := mathLeaf("mo", s, c).set("stretchy", "false")
	if strings.Contains("()[]{}⟨⟩⌊⌋⌈⌉", s) {
		return n // the operator dictionary has their form and no spacing
	}
	switch c {
	case mathOpen:
		n.set("form", "prefix")
	case mathClose:
		n.set("form", "postfix")
	case mathRel:
		n.pad("0.2em", "0.2em")
		return n
	}
	n.pad("0", "0")
	return n
}

var mathDelimiters = map[string]string{
	"(": "(", ")": ")", "[": "[", "]": "]", "/": "/", "|": "|", "<": "⟨", ">": "⟩", "{": "{", "}": "}",
	"backslash": "\\", "vert": "|", "Vert": "‖", "mid": "∣",
}

// mathFunctions are the named operators; true where scripts are limits in display style.
var mathFunctions = map[string]bool{
	"arccos": false, "arcsin": false, "arctan": false, "arg": false, "cos": false, "cosh": false, "cot": false, "coth": false, "csc": false,
	"deg": false, "dim": false, "exp": false, "hom": false, "ker": false, "lg": false, "ln": false, "log": false, "sec": false, "sin": false, "sinh": false,
	"tan": false, "tanh": false, "tr": false, "Tr": false, "diag": false, "rank": false, "sgn": false, "sign": false, "erf": false,
	"Var": false, "Cov": false, "Lap": false,
	"det": true, "gcd": true, "inf": true, "lim": true, "liminf": true, "limsup": true, "max": true, "min": true, "Pr": true, "sup": true,
	"argmax": true, "argmin": true, "injlim": true, "projlim": true, "esssup": true,
}

func mathFunctionText(name string) string {
	switch name {
	case "liminf", "limsup":
		return "lim\u2009" + name[3:]
	case "argmax", "argmin":
		return "arg\u2009" + name[3:]
	case "esssup":
		return "ess\u2009sup"
	}
	return name
}

var mathSpaces = map[string]string{
	",": "0.1667em", "thinspace": "0.1667em", ":": "0.2222em", ">": "0.2222em", "medspace": "0.2222em", ";": "0.2778em", "thickspace": "0.2778em",
	"!": "-0.1667em", "negthinspace": "-0.1667em", " ": "0.25em", "\n": "0.25em", "\t": "0.25em", "space": "0.25em", "nobreakspace": "0.25em",
	"enspace": "0.5em", "quad": "1em", "qquad": "2em", "/": "0em",
}

// mathLength is a TeX length as CSS; what it does not know is a plain space.
func mathLength(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 3 {
		return "0.25em"
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(s[:len(s)-2]), 64)
	if err != nil || !(v > -20 && v < 20) && s[len(s)-2:] != "pt" && s[len(s)-2:] != "px" && s[len(s)-2:] != "mu" || !(v > -200 && v < 200) {
		return "0.25em"
	}
	em, ok := map[string]float64{"em": 1, "ex": 0.43, "mu": 1.0 / 18, "pt": 0.1, "px": 0.075, "cm": 2.8, "mm": 0.28, "in": 7.2}[s[len(s)-2:]]
	if !ok {
		return "0.25em"
	}
	return strconv.FormatFloat(v*em, 'f', -1, 32) + "em"
}

// mathBigSize is the size of the \big family.
func mathBigSize(name string) (string, bool) {
	if !strings.HasPrefix(name, "big") && !strings.HasPrefix(name, "Big") {
		return "", false
	}
	switch strings.TrimRight(name[1:], "lrm") {
	case "ig":
		if name[0] == 'b' {
			return "1.2em", true
		}
		return "1.8em", true
	case "igg":
		if name[0] == 'b' {
			return "2.4em", true
		}
		return "3em", true
	}
	return "", false
}

type mathAccent struct {
	mark                   string
	rule                   string // class of a row with a border: fonts rarely stretch a bar
	stretchy, under, brace bool
}

var mathAccents = map[string]mathAccent{
	"hat": {mark: "^"}, "widehat": {mark: "\u0302", stretchy: true}, "tilde": {mark: "~"}, "widetilde": {mark: "\u0303", stretchy: true},
	"bar": {mark: "¯"}, "overline": {rule: "tex-over"}, "underline": {rule: "tex-under"},
	"vec": {mark: "→"}, "dot": {mark: "˙"}, "ddot": {mark: "¨"}, "check": {mark: "ˇ"}, "breve": {mark: "˘"}, "mathring": {mark: "˚"},
	"acute": {mark: "´"}, "grave": {mark: "`"}, "overrightarrow": {mark: "→", stretchy: true}, "overleftarrow": {mark: "←", stretchy: true},
	"overbrace": {mark: "⏞", stretchy: true, brace: true}, "underbrace": {mark: "⏟", stretchy: true, under: true, brace: true},
}

// mathTextClass is the class of an operator by its character.
func mathTextClass(s string) mathClass {
	r := []rune(s)
	switch {
	case s == "−":
		return mathBin
	case len(r) != 1:
		return mathOrd
	case r[0] < 0x80:
		return mathChars[r[0]].class
	}
	return mathSymbols().byRune[r[0]].class
}
