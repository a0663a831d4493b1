/**
 * Kernels in CUDA C++ that show one thing each that Hopper or Blackwell can do: in the simulator, and on such a GPU.
 */
package tilewright.verification.witness;
