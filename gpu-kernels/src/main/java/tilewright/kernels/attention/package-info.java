/**
 * Attention: problems, the kernels for SM80 and what they are configured by.
 */
package tilewright.kernels.attention;
