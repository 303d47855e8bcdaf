// Package sanitize rebuilds untrusted HTML from an allowlist of elements, attributes and style properties, for pages that show what
// notebooks store: outputs of cells, and markdown with HTML in it.
//
// What [HTML] gives cannot run a script, fetch from another place, submit a form, or close the elements that it is put into. It is
// written anew, token by token, with every text and value escaped, so that a difference between its tokenizer and a browser's can
// lose markup but not let any through. What [Options] say is the caller's own and trusted: IDPrefix and Scope go into style rules, and
// what Text returns goes into the result as it is.
package sanitize
