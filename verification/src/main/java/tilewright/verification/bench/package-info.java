/**
 * The measuring side of the lab: kernels timed on a GPU beside their floor and beside PyTorch, the cost of a launch
 * from Java, and soaks. {@link tilewright.verification.bench.Benchmark} is the entry.
 */
package tilewright.verification.bench;
