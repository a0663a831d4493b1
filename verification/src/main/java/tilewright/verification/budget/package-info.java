/**
 * A performance model: the work that a kernel's own instructions give each unit of an SM, and the unit that bounds it.
 */
package tilewright.verification.budget;
