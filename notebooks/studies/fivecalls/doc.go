// Package fivecalls asks what each call of the chains Dedup · Impute · PCA · FitLogistic and Dedup · Impute · PCA · GaussMix buys, on rows
// with duplicates, gaps and low rank: each is left out, or taken in another way, and the models of many releases are scored
// on rows that were held back. The results of the full setting are part of the package ([Stored]); the command
//
//	go run ./notebooks/studies/fivecalls/cmd/fivecalls
//
// computes them again, in about a minute. The rows are invented ([Machines]), and releases are demonstrations: from a seed, hence not
// private.
package fivecalls
