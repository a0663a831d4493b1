/** Sweeps over several machines: shards, their results, and {@code merge}, which joins them. */
package tilewright.cli.sweep;
