/**
 * Runs kernels on Java arrays: {@link tilewright.ops.Simulate} on any machine, {@link tilewright.ops.Device} on a GPU;
 * {@link tilewright.ops.Mxf8Quantizer} makes operands.
 */
package tilewright.ops;
