/** Descriptions of Blackwell's kernels for the registry, one file each. */
package tilewright.sm100.library;
