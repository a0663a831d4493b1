/**
 * One {@link tilewright.verification.cases.Case} per kernel, configuration and input, with the comparison of its
 * results with the reference. {@link tilewright.verification.cases.Catalogue} lists all of them.
 */
package tilewright.verification.cases;
