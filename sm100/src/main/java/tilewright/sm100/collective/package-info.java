/**
 * What Blackwell kernels are made of: multiplications tiled over stages of shared memory, the cluster's pairs of CTAs,
 * main loops, epilogues out of Tensor Memory, and the tiles that a CTA goes through.
 */
package tilewright.sm100.collective;
