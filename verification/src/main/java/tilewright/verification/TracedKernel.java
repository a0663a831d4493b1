package tilewright.verification;

/**
 * A kernel's PTX in one configuration.
 *
 * @param ptx its PTX in normal form, and before it what every launch of the kernel has; or
 *     {@link KernelConfiguration#REFUSED}
 */
public record TracedKernel(String kernel, String config, String ptx) {}
