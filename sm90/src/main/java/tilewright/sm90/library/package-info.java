/** Descriptions of Hopper's kernels for the registry, one file each. */
package tilewright.sm90.library;
