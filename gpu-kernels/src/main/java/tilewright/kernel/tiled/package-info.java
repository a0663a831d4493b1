/**
 * Atoms repeated over threads and values to cover a tile. Partitioning is layout algebra only, and every partition is
 * checked while the kernel is traced.
 */
package tilewright.kernel.tiled;
