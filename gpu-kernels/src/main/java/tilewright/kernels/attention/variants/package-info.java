/**
 * Attention for SM80 as one might write it on the way to FlashAttention-2, and beyond its head dimensions: to compare.
 */
package tilewright.kernels.attention.variants;
