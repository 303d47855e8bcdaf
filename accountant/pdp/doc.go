// Package pdp computes what one release cost one person: ex-post per-instance privacy loss (Redberg, Wang 2021,
// "Privately Publishable Per-instance Privacy", with the corrections that its comments name).
//
// The loss of a record z at an output θ is the logarithm of the ratio of densities
//
//	L_z(θ) = ln p_D(θ) − ln p_{D±z}(θ),
//
// D without z where z is a member, with it where z is not; its absolute value is the ex-post pDP. Begin with
// [ObjectivePerturbation.Audit] and [ObjectivePerturbation.Bound], or with [GaussianSum]; for linear models with [Moments],
// [GaussMix] or [LinearMixing]. What a release publishes of it is a [Report], which package dpkit makes beside a model.
//
// # What may be seen by whom
//
// A loss is a function of all the data and is not private: it comes as a [Curator] value, which prints,
// serialises and logs as nothing and is read by Open alone. What may be published is the output and, by
// post-processing, the function (x, y) ↦ [ObjectivePerturbation.Bound] or [Bounds.At] of it: everybody can put in a record of
// their own. The list of its values at the records of a private dataset may not: each value is for the
// record's owner. Nor may a maximum or a mean of losses.
//
// # What it does not
//
// The relation is add/remove: one record is zeroed out on one side, and the number of records stays public. The formulas hold for the exact
// minimiser. A release that adds noise for an approximate one, of (ε₀, δ₀), has the losses of the exact
// minimiser plus ε₀, outside a failure of probability δ₀. A bound at failure ρ is for one record that was fixed
// before the run; for all of n records at once ask for ρ/n each.
package pdp
