/** {@code tilewright new}: projects for kernels of one's own. */
package tilewright.cli.create;
