/**
 * What attention kernels of every architecture are made of. Rows, columns and the lanes that share a row come from the
 * accumulators' partition, so the same code serves {@code mma.sync}, {@code wgmma} and tensor memory.
 */
package tilewright.kernel.collective.attention;
