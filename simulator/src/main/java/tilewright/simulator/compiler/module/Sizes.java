package tilewright.simulator.compiler.module;

import tilewright.ptx.Variable;
import tilewright.simulator.compiler.code.Unsupported;

/** How much of each kind of memory a kernel may declare; everything is added up exactly. */
enum Sizes {
  /** The shared memory of a CTA of sm_90 and sm_100 (CUDA C++ Programming Guide, Compute Capabilities). */
  SHARED("shared memory", "a CTA", 227 * 1024),
  /** CUDA C++ Programming Guide, Compute Capabilities: local memory of a thread. */
  LOCAL("local memory", "a thread", 512 * 1024),
  /** PTX ISA, Kernel Function Parameter Attributes; the most since 8.1. */
  PARAMETERS("parameters", "a kernel", 32764),
  /** A variable is one Java array. */
  VARIABLE("global or constant memory", "a variable here", Integer.MAX_VALUE - 16);

  private final String memory;
  private final String owner;
  private final int most;

  Sizes(String memory, String owner, int most) {
    this.memory = memory;
    this.owner = owner;
    this.most = most;
  }

  /** The offset rounded up to what the variable must be a multiple of. */
  static long aligned(long offset, long alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  /**
   * The first byte behind a variable.
   *
   * @throws Unsupported if it lies beyond what there is
   */
  int end(Variable v, long offset) {
    long end = offset + v.bytes();
    if (end <= most) return (int) end;
    throw Unsupported.of(v, "needs " + end + " bytes of " + memory + ", but " + owner + " has at most " + most);
  }
}
