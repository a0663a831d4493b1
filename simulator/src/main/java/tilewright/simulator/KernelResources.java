package tilewright.simulator;

/**
 * The memory that a kernel takes, as it was compiled here: an assembler for a GPU may need other amounts.
 *
 * @param staticSharedBytes of a CTA
 * @param localBytes of a thread
 */
public record KernelResources(int staticSharedBytes, int localBytes) {}
