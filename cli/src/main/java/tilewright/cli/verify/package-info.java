/**
 * {@code verify} compares kernels with their reference; {@code doctor} lists what this machine has and lacks.
 */
package tilewright.cli.verify;
