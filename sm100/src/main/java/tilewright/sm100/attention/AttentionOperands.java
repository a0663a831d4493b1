package tilewright.sm100.attention;

import tilewright.kernel.SharedTensor;

/** Q, K and V in shared memory, as the tensor cores read them. */
record AttentionOperands(SharedTensor q, SharedTensor key, SharedTensor value) {}
