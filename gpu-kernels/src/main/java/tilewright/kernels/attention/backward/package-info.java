/**
 * The gradients of attention: the SM80 kernel, and the parts that the kernels of every architecture share. One launch
 * computes D = rowsum(O ∘ dO), one the gradients, and one rounds dQ, which many CTAs add to in a workspace of FP32.
 */
package tilewright.kernels.attention.backward;
