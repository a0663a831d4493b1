/**
 * Parts of pages that are made from records: benchmarks, budgets, proofs, errors and answers of others.
 */
package tilewright.docs.record;
