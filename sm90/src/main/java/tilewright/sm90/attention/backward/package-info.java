/**
 * The gradients of attention for Hopper (FlashAttention-3, backward pass): TMA and {@code wgmma} in warps of their own,
 * P and dS in registers, dQ added to memory by every CTA.
 */
package tilewright.sm90.attention.backward;
