/**
 * What a Java program calls: {@link tilewright.ops.Ops} has operators on tensors, on a GPU or in the simulator;
 * {@link tilewright.ops.Simulate} and {@link tilewright.ops.Device} run one kernel on Java arrays.
 */
package tilewright.ops;
