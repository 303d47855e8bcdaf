// Package correlation has the release of means, variances, covariances and correlations of bounded columns, all in one draw of noise.
package correlation
