package dpkit

// stepConditions are those that steps declare.
func stepConditions() map[string][]conditionCase {
	return map[string][]conditionCase{}
}
