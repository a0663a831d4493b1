/**
 * Costs of accesses through layouts: bank conflicts of shared memory, vector widths, sectors of global memory,
 * and the smallest swizzle without conflicts.
 */
package tilewright.layout.bank;
