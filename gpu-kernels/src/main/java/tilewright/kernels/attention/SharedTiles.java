package tilewright.kernels.attention;

import tilewright.kernel.SharedTensor;

/**
 * Tiles in shared memory.
 *
 * @param q (queries, head dimension, stages)
 * @param k (keys, head dimension, stages)
 * @param v (head dimension, keys, stages)
 */
record SharedTiles(SharedTensor q, SharedTensor k, SharedTensor v) {}
