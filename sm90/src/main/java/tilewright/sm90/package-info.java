/**
 * Hopper (SM90): atoms for transaction barriers and bulk copies, which move whole tiles without threads, and kernels on
 * them.
 */
package tilewright.sm90;
