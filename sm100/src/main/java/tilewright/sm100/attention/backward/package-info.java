/**
 * Attention's gradients for Blackwell (FlashAttention-4, section 4): scores, their gradients and the sums of dK and dV
 * in Tensor Memory, a role for each warp.
 */
package tilewright.sm100.attention.backward;
