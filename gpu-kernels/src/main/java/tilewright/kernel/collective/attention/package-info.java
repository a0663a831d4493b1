/**
 * Collectives of the attention kernels of every architecture. Rows, columns and the lanes that share a row come from
 * the accumulators' partition, so the same code serves {@code mma.sync}, {@code wgmma} and Tensor Memory.
 */
package tilewright.kernel.collective.attention;
