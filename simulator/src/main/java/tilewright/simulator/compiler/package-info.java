/**
 * Compiles PTX functions: resolves names, lowers instructions to lane operations (the same work in each lane) and warp
 * operations (calls into the machine), orders the basic blocks, and generates JVM bytecode. Nothing here is exported.
 */
package tilewright.simulator.compiler;
