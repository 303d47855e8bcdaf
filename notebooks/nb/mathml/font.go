package mathml

import "strings"

// fonts are the alphabet commands that take an argument.
var fonts = map[string]string{
	"mathrm": "rm", "mathup": "rm", "mathbf": "bf", "mathbfit": "bi", "boldsymbol": "bi", "bm": "bi", "pmb": "bi", "mathit": "it", "mathnormal": "",
	"mathbb": "bb", "mathbbm": "bb", "mathds": "bb", "mathcal": "cal", "mathscr": "cal", "mathfrak": "frak", "mathsf": "sf", "mathtt": "tt",
}

// fontSwitch are the old commands that hold to the end of their group.
var fontSwitch = map[string]string{"rm": "rm", "bf": "bf", "it": "it", "cal": "cal", "sf": "sf", "tt": "tt"}

// alphabetStart gives where Unicode's mathematical alphabets start: capitals, small letters,
// digits, Greek capitals, Greek small letters; 0 where there is none.
var alphabetStart = map[string][5]rune{
	"bf":   {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2},
	"bi":   {0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736},
	"it":   {0x1D434, 0x1D44E, 0, 0x1D6E2, 0x1D6FC},
	"bb":   {0x1D538, 0x1D552, 0x1D7D8, 0, 0},
	"cal":  {0x1D49C, 0x1D4B6, 0, 0, 0},
	"frak": {0x1D504, 0x1D51E, 0, 0, 0},
	"sf":   {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0},
	"tt":   {0x1D670, 0x1D68A, 0x1D7F6, 0, 0},
}

// alphabetHoles are the letters that Unicode had encoded before its alphabets.
var alphabetHoles = map[string]string{
	"bb":   "CℂHℍNℕPℙQℚRℝZℤ",
	"cal":  "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ",
	"frak": "CℭHℌIℑRℜZℨ",
	"it":   "hℎ",
}

// alphabet maps text to a mathematical alphabet; what has no place there stays.
func alphabet(font, s string) string {
	start, ok := alphabetStart[font]
	if !ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		holes := []rune(alphabetHoles[font])
		for i := 0; i+1 < len(holes); i += 2 {
			if holes[i] == r {
				return holes[i+1]
			}
		}
		place := func(k int, first rune) rune {
			if start[k] == 0 {
				return r
			}
			return start[k] + r - first
		}
		switch {
		case r >= 'A' && r <= 'Z':
			return place(0, 'A')
		case r >= 'a' && r <= 'z':
			return place(1, 'a')
		case r >= '0' && r <= '9':
			return place(2, '0')
		case r >= 'Α' && r <= 'Ω':
			return place(3, 'Α')
		case r >= 'α' && r <= 'ω':
			return place(4, 'α')
		}
		if start[4] != 0 { // the variants that follow omega
			for i, v := range []rune("∂ϵϑϰϕϱϖ") {
				if r == v {
					return start[4] + 25 + rune(i)
				}
			}
		}
		return r
	}, s)
}
