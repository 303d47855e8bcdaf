// Package local asks people for one of finitely many answers so that nobody, the collector included, learns what they
// are: every answer is randomised before it leaves the person's device, and frequencies are estimated from the reports
// (Warner 1965; Duchi, Jordan, Wainwright 2013). Make a public [Scheme] with [New], hand it to every [Client], and
// collect the reports in an [Aggregator].
//
// What it guarantees. A report is (ε, 0)-DP in the person's answer, against everyone. The randomisation is exact: ε is
// rounded down to a multiple of 2^-32, and e^−ε is sampled from random bits without floating point. What a report
// costs in other currencies is its [Scheme.Event]: tight Rényi curves and zCDP of randomized response.
//
// What it does not guarantee. A second report on the same answer costs ε again: ask once, or let the client remember the
// report that it gave. Who answers, and when, is not hidden. The aggregator believes its reports: people who lie, or
// programs that do, move the estimates by up to 1/(p − q) of a person each.
//
// The error of a frequency is larger than that of a central release by about √n: a collector whom people trust should
// release a Histogram of package dpkit.
package local
