/**
 * The registry of kernels: what each says of itself, for every command to read. A
 * {@link tilewright.kernels.registry.KernelCatalogue} adds kernels to it, from a module of Tilewright or a user's jar.
 */
package tilewright.kernels.registry;
