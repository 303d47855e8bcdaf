// Package others holds the mechanisms that another library's data scientists use, written from the publications that it implements, so
// that a study can compare: logistic regression by objective perturbation with vectors of gamma length (Chaudhuri, Monteleoni,
// Sarwate 2011), linear regression by the functional mechanism (Zhang, Zhang, Xiao, Yang, Winslett 2012), a quantile by the exponential
// mechanism over the intervals between values (Smith 2011), a count by the geometric mechanism (Ghosh, Roughgarden, Sundararajan 2009)
// and a bounded mean by Laplace noise (Dwork, McSherry, Nissim, Smith 2006).
//
// Every one is ε-DP under replace-one in real arithmetic. Their noise comes from a seeded generator: nothing here protects anybody.
package others
