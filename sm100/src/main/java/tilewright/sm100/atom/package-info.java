/**
 * One Blackwell instruction each, with the layouts it demands: Tensor Memory as a resource with a lifetime, tcgen05
 * multiplications and the descriptors of their operands, copies to and from Tensor Memory, launch control.
 */
package tilewright.sm100.atom;
