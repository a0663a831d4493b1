/**
 * The parts of Blackwell kernels: MMAs tiled over stages of shared memory, pairs of CTAs, main loops, epilogues out of
 * Tensor Memory, and launch control.
 */
package tilewright.sm100.collective;
