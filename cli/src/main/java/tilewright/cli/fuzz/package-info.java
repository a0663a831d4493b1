/** Fuzzing the simulator with mutated kernels, in one process or in shards on many machines. */
package tilewright.cli.fuzz;
