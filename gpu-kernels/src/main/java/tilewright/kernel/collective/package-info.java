/**
 * Collectives: what a whole CTA does together, independent of one kernel. Main loops fill shared memory and multiply,
 * epilogues turn accumulators into the result, tile schedulers say which tile a CTA works on.
 */
package tilewright.kernel.collective;
