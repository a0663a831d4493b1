/**
 * Several devices in one program: {@link tilewright.ops.collectives.Communicator} moves and adds tensors among them, by
 * NCCL on GPUs and in Java in the simulator.
 */
package tilewright.ops.collectives;
