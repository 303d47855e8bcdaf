package mathml

import (
	"strconv"
	"strings"
	"sync"
)

// symbol is what a command such as \leq draws.
type symbol struct {
	text   string
	class  atomClass
	letter bool // follows the current alphabet
	limits bool
}

type symbolTable struct {
	byName map[string]symbol
	byRune map[rune]symbol
}

// Lists of name and character, in the order of the LaTeX symbol tables.
const (
	letters = `alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ varkappa ϰ
lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω imath ı jmath ȷ`
	ordinary = `infty ∞ partial ∂ nabla ∇ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ ell ℓ hbar ℏ hslash ℏ Re ℜ Im ℑ wp ℘ aleph ℵ beth ℶ
prime ′ angle ∠ triangle △ square □ Box □ blacksquare ■ qed ■ diamondsuit ♢ heartsuit ♡ clubsuit ♣ spadesuit ♠ top ⊤ bot ⊥ surd √ degree ° circledR ® checkmark ✓
dag † ddag ‡ S § P ¶ copyright © pounds £ euro € # # $ $ % % & & _ _ backslash \ flat ♭ natural ♮ sharp ♯ complement ∁ eth ð lightning ↯ Bbbk 𝕜 mho ℧ vert | Vert ‖ | ‖`
	binary = `pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧
setminus ∖ smallsetminus ∖ wr ≀ amalg ⨿ dagger † ddagger ‡ boxplus ⊞ boxtimes ⊠ barwedge ⊼ veebar ⊻ ltimes ⋉ rtimes ⋊ triangleleft ◃ triangleright ▹ diamond ⋄ bigcirc ◯ centerdot ⋅ intercal ⊺`
	relations = `leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ varpropto ∝ asymp ≍ doteq ≐ ll ≪ gg ≫ lll ⋘ ggg ⋙ leqslant ⩽ geqslant ⩾ lt < gt >
prec ≺ succ ≻ preceq ⪯ succeq ⪰ preccurlyeq ≼ succcurlyeq ≽ lesssim ≲ gtrsim ≳ lessgtr ≶ nleq ≰ ngeq ≱ nless ≮ ngtr ≯ approxeq ≊ thickapprox ≈ thicksim ∼ eqsim ≂ triangleq ≜ coloneqq ≔ coloneq ≔ eqqcolon ≕ eqcolon ≕ defeq ≝ Coloneqq ⩴
in ∈ notin ∉ ni ∋ owns ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ nsupseteq ⊉ sqsubseteq ⊑ sqsupseteq ⊒ perp ⟂ parallel ∥ nparallel ∦ mid ∣ nmid ∤ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ nsim ≁ ncong ≇
smile ⌣ frown ⌢ bowtie ⋈ Join ⋈ because ∵ therefore ∴ between ≬
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺
uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼ leftharpoondown ↽ rightleftharpoons ⇌ leftrightarrows ⇆ rightrightarrows ⇉ rightsquigarrow ⇝ leadsto ⇝ nrightarrow ↛ nleftarrow ↚ nRightarrow ⇏ twoheadrightarrow ↠ rightarrowtail ↣ xmapsto ↦`
	bigLimits    = `sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆`
	bigIntegrals = `int ∫ iint ∬ iiint ∭ oint ∮ smallint ∫`
	opening      = `langle ⟨ lfloor ⌊ lceil ⌈ lbrace { { { lvert | lVert ‖ lbrack [ lparen ( ulcorner ⌜ llbracket ⟦ lgroup ⟮`
	closing      = `rangle ⟩ rfloor ⌋ rceil ⌉ rbrace } } } rvert | rVert ‖ rbrack ] rparen ) urcorner ⌝ rrbracket ⟧ rgroup ⟯`
	inners       = `ldots … dots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ dotsi ⋯ vdots ⋮ ddots ⋱ iddots ⋰`
)

var symbols = sync.OnceValue(func() symbolTable {
	t := symbolTable{map[string]symbol{}, map[rune]symbol{}}
	add := func(list string, s symbol) {
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
	add(letters, symbol{letter: true})
	add(ordinary, symbol{})
	add(binary, symbol{class: classBin})
	add(relations, symbol{class: classRel})
	add(bigLimits, symbol{class: classOp, limits: true})
	add(bigIntegrals, symbol{class: classOp})
	add(opening, symbol{class: classOpen})
	add(closing, symbol{class: classClose})
	add(inners, symbol{class: classInner})
	t.byName["colon"] = symbol{text: ":", class: classPunct}
	return t
})

// chars are the ASCII characters other than letters and digits.
var chars = map[rune]symbol{
	'+': {text: "+", class: classBin}, '*': {text: "∗", class: classBin},
	'=': {text: "=", class: classRel}, '<': {text: "<", class: classRel}, '>': {text: ">", class: classRel}, ':': {text: ":", class: classRel},
	'(': {text: "(", class: classOpen}, '[': {text: "[", class: classOpen}, ')': {text: ")", class: classClose}, ']': {text: "]", class: classClose},
	'!': {text: "!", class: classClose}, '?': {text: "?", class: classClose}, ',': {text: ",", class: classPunct}, ';': {text: ";", class: classPunct},
	'/': {text: "/"}, '|': {text: "|"}, '.': {text: "."}, '"': {text: "″"}, '`': {text: "‘"}, '@': {text: "@"},
}

// operator is an mo element with the spacing of its class where MathML would give another.
func operator(s symbol, c atomClass) *node {
	n := leaf("mo", s.text, c)
	n.limits = s.limits
	switch {
	case c == classOpen:
		return fence(s.text, c)
	case c == classClose && s.text != "!" && s.text != "?":
		return fence(s.text, c)
	case c == classClose, c == classOrd:
		n.set("stretchy", "false").pad("0", "0")
	case c == classInner:
		n.pad("0.1667em", "0.1667em")
	case c == classPunct:
		n.pad("0", "0.1667em")
		if s.text == ":" {
			n.pad("0", "0.2778em")
		}
	case c == classRel && strings.ContainsAny(s.text, ":∣∥⟂→←↑↓⇒⇐↔⇔↦"):
		n.set("stretchy", "false").pad("0.2778em", "0.2778em")
	case s.text == "mod":
		n.pad("0.2222em", "0.2222em")
	}
	return n
}

// fence is a delimiter that keeps its natural size until it is told to stretch.
func fence(s string, c atomClass) *node {
	n := leaf("mo", s, c).set("stretchy", "false")
	if strings.Contains("()[]{}⟨⟩⌊⌋⌈⌉", s) {
		return n // the operator dictionary has their form and no spacing
	}
	switch c {
	case classOpen:
		n.set("form", "prefix")
	case classClose:
		n.set("form", "postfix")
	case classRel:
		n.pad("0.2em", "0.2em")
		return n
	}
	n.pad("0", "0")
	return n
}

var delimiters = map[string]string{
	"(": "(", ")": ")", "[": "[", "]": "]", "/": "/", "|": "|", "<": "⟨", ">": "⟩", "{": "{", "}": "}",
	"backslash": "\\", "vert": "|", "Vert": "‖", "mid": "∣",
}

// functions are the named operators; true where scripts are limits in display style.
var functions = map[string]bool{
	"arccos": false, "arcsin": false, "arctan": false, "arg": false, "cos": false, "cosh": false, "cot": false, "coth": false, "csc": false,
	"deg": false, "dim": false, "exp": false, "hom": false, "ker": false, "lg": false, "ln": false, "log": false, "sec": false, "sin": false, "sinh": false,
	"tan": false, "tanh": false, "tr": false, "Tr": false, "diag": false, "rank": false, "sgn": false, "sign": false, "erf": false,
	"Var": false, "Cov": false, "Lap": false,
	"det": true, "gcd": true, "inf": true, "lim": true, "liminf": true, "limsup": true, "max": true, "min": true, "Pr": true, "sup": true,
	"argmax": true, "argmin": true, "injlim": true, "projlim": true, "esssup": true,
}

func functionText(name string) string {
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

var spaces = map[string]string{
	",": "0.1667em", "thinspace": "0.1667em", ":": "0.2222em", ">": "0.2222em", "medspace": "0.2222em", ";": "0.2778em", "thickspace": "0.2778em",
	"!": "-0.1667em", "negthinspace": "-0.1667em", " ": "0.25em", "\n": "0.25em", "\t": "0.25em", "space": "0.25em", "nobreakspace": "0.25em",
	"enspace": "0.5em", "quad": "1em", "qquad": "2em", "/": "0em",
}

// texLength is a TeX length as CSS; what it does not know is a plain space.
func texLength(s string) string {
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

// bigSize is the size of the \big family.
func bigSize(name string) (string, bool) {
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

type accent struct {
	mark                   string
	rule                   string // class of a row with a border: fonts rarely stretch a bar
	stretchy, under, brace bool
}

var accents = map[string]accent{
	"hat": {mark: "^"}, "widehat": {mark: "\u0302", stretchy: true}, "tilde": {mark: "~"}, "widetilde": {mark: "\u0303", stretchy: true},
	"bar": {mark: "¯"}, "overline": {rule: "tex-over"}, "underline": {rule: "tex-under"},
	"vec": {mark: "→"}, "dot": {mark: "˙"}, "ddot": {mark: "¨"}, "check": {mark: "ˇ"}, "breve": {mark: "˘"}, "mathring": {mark: "˚"},
	"acute": {mark: "´"}, "grave": {mark: "`"}, "overrightarrow": {mark: "→", stretchy: true}, "overleftarrow": {mark: "←", stretchy: true},
	"overbrace": {mark: "⏞", stretchy: true, brace: true}, "underbrace": {mark: "⏟", stretchy: true, under: true, brace: true},
}

// textClass is the class of an operator by its character.
func textClass(s string) atomClass {
	r := []rune(s)
	switch {
	case s == "−":
		return classBin
	case len(r) != 1:
		return classOrd
	case r[0] < 0x80:
		return chars[r[0]].class
	}
	return symbols().byRune[r[0]].class
}
