/**
 * The commands of {@code tilewright run}, which run a kernel on tensors in files.
 */
package tilewright.cli.run;
