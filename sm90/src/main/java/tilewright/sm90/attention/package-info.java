/**
 * Attention for Hopper (FlashAttention-3): TMA and {@code wgmma} in warps of their own, softmax in between.
 */
package tilewright.sm90.attention;
