/**
 * Attention for Blackwell (FlashAttention-4): scores, weights and sums in Tensor Memory, a role for each warp.
 */
package tilewright.sm100.attention;
