/** Operators whose tensors are spread over several devices. */
package tilewright.ops.parallel;
