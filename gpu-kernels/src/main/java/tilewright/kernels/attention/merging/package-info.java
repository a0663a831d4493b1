/**
 * The states that splits of the keys leave, and the kernel that merges them into one output and one logarithm for each
 * row (FlashDecoding).
 */
package tilewright.kernels.attention.merging;
