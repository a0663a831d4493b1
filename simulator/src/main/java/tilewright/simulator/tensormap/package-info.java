/**
 * Tensor maps as the simulator has them: their bytes in memory, what {@code tensormap.replace} changes, and which
 * global bytes a tensor copy brings to which shared bytes (PTX ISA, Tensors).
 */
package tilewright.simulator.tensormap;
