/**
 * The choice among kernels as formulas of a problem's numbers: Java evaluates them at once, and other languages, such
 * as the Python package, are given them as data.
 */
package tilewright.kernels.choice;
