/**
 * What a kernel asks of each unit of a multiprocessor, by its own instructions, and what bounds it: a model, not a
 * measurement.
 */
package tilewright.verification.budget;
