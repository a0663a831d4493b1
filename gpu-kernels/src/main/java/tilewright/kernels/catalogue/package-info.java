/**
 * The catalogue: families of classic kernels, one file each. A {@link tilewright.kernels.registry.Family} says what it
 * computes, what can be set, and makes a workload: launch, tensors, reference. Everything else works on that by name.
 */
package tilewright.kernels.catalogue;
