// Package refusals reads what the sources declare of the conditions that a guarantee rests on, and lifts them one by one.
//
// A comment above a statement, or at the end of its first line, declares one:
//
//	//dp:refuses NAME what the claim would miss without it
//	//dp:charges NAME what a release would be charged too little for without it
//
// NAME is a path of words, such as table/quantile-displaced. What is lifted depends on the statement:
//
//   - an if, or a case of a switch without a tag: each part of its condition that || joins is false;
//   - a return of conditions that && joins: each of them is true;
//   - a return of an error: it is nil;
//   - any statement with a third comment, //dp:lift OLD => NEW, which stands after the others: NEW is in the place of OLD.
//
// An error that says in what order steps stand, and on which no guarantee rests, is declared too, without a name:
//
//	//dp:advises why
//
// A condition of several parts is several conditions: NAME/1, NAME/2 and so on. Tests of the packages that declare walk the names: each
// has a chain that is refused, or a price, and where an attack is known the tables that break the claim without it. The program
// lift builds these tests with all conditions under switches, turns off one at a time, and expects a test to fail each time.
package refusals
