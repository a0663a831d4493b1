/**
 * What brings the operands of attention to 8 bits: rotary embedding, random signs and Hadamard transform, factors and
 * codes of Q, K and V (FlashAttention-3, section 3.3).
 */
package tilewright.kernels.attention.quantization;
