/**
 * Tile schedulers: which parts of C a CTA computes and in which order, and how the accumulators of a tile come together
 * that several CTAs have worked on. Mainloops and epilogues know nothing of either.
 */
package tilewright.async.schedule;
