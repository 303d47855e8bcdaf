package frames

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// personWords are what columns are called that say whose row it is.
var personWords = map[string]bool{
	"id": true, "ids": true, "uid": true, "ssn": true, "email": true,
	"account": true, "client": true, "customer": true, "employee": true, "household": true, "member": true, "participant": true, "patient": true,
	"person": true, "student": true, "subject": true, "user": true,
}

// Warnings say what in a schema makes a guarantee weaker than it may look, of its names alone: an ignored column that is named like a person,
// in a schema without one.
func (s Schema) Warnings() []string {
	if _, ok := s.Person(); ok {
		return nil
	}
	var named []string
	if s.s == nil {
		return nil
	}
	for i := range s.s.cols {
		c := &s.s.cols[i]
		if c.Kind == KindIgnored && slices.ContainsFunc(wordsOf(c.Name), func(w string) bool { return personWords[w] }) {
			named = append(named, c.Name)
		}
	}
	switch len(named) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("each row is protected by itself, and the ignored column %q is named like a person: if somebody may have several rows, declare it as frames.Person(%[1]q)", named[0])}
	}
	return []string{fmt.Sprintf("each row is protected by itself, and the ignored columns %s are named like people: if somebody may have several rows, declare the one that tells whose they are as frames.Person", quoted(named))}
}

// quoted lists names, the first ten of them.
func quoted(names []string) string {
	var list short
	for _, name := range names {
		list.add("%q", name)
	}
	return list.join(", ")
}

// wordsOf parts a name as in patient_id, patientID or Patient ID into its words, in lower case.
func wordsOf(name string) (words []string) {
	letters := []rune(name)
	from := 0
	end := func(i int) {
		if from < i {
			words = append(words, strings.ToLower(string(letters[from:i])))
		}
	}
	for i, r := range letters {
		switch {
		case !unicode.IsLetter(r):
			end(i)
			from = i + 1
		case i > from && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			end(i) // patientID begins a word at I, IDNumber at N
			from = i
		}
	}
	end(len(letters))
	return words
}
