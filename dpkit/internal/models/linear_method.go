package models

// KnownFit reports a method that no fit names in its model.
func KnownFit(m LinearMethod) error {
	switch m {
	case HuberMethod, localClipped, localRelative:
		return nil
	}
	return KnownLinearMethod(m)
}
