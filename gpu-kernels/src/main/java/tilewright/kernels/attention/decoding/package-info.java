/**
 * Attention of few queries on a cache of keys and values, at the rate of the memory: split keys, pages, lengths on the
 * device, and caches of 8-bit codes beside 16-bit queries (FlashDecoding).
 */
package tilewright.kernels.attention.decoding;
