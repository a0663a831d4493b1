package tilewright.simulator.sanitizer;

/**
 * Asynchronous operations that become known to be complete in the order of their numbers, from 1: those of one mbarrier
 * by phase, the bulk groups of one thread, the products of one warpgroup. Whoever knows of one knows of all before it.
 *
 * @param cta of those that epochs tell apart
 * @param id among the queues of that CTA
 */
public record AsyncQueue(int cta, int id) {}
