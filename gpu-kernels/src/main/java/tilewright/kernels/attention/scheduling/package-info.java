/** The schedule by which persistent CTAs share the keys of a batch, computed on the device once for all layers. */
package tilewright.kernels.attention.scheduling;
