/**
 * Runs kernels on Java arrays: {@link tilewright.ops.Simulate} on any machine, {@link tilewright.ops.Device} on a GPU.
 */
package tilewright.ops;
