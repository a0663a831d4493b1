package tilewright.simulator.core;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * A compiled kernel.
 *
 * @param target the compute capability times ten that the PTX names
 * @param clusters the kernel's directives about clusters
 */
public record Kernel(String name, BlockCode code, List<Block> blocks, List<Site> sites, Registers registers,
    MemoryLayout memory, int target, ClusterNeed clusters) {

  /**
   * The registers of a thread, and the arrays that a warp keeps them in.
   *
   * @param ints register arrays of 32-bit integers; likewise for the other kinds
   * @param live 32-bit registers of a thread that hold something needed at one time, at most; 0 unless watched
   * @param declared registers of a thread at first, where directives say so
   */
  public record Registers(int ints, int floats, int longs, int doubles, int predicates, int live,
      OptionalInt declared) {}

  /**
   * The memory that a launch of the kernel sets aside.
   *
   * @param dynamicSharedOffset where dynamic shared memory begins
   * @param gapBytes shared memory between variables that is there only to notice who overruns one
   * @param localBytes of a thread
   * @param parameters offset and size of each, in parameter memory
   * @param variables in global and constant memory
   * @param shared variables in shared memory
   */
  public record MemoryLayout(int staticSharedBytes, int dynamicSharedOffset, int gapBytes, int localBytes,
      int parameterBytes, List<Parameter> parameters, List<ModuleVariable> variables, List<SharedVariable> shared) {}

  /** A variable in shared memory; dynamic shared memory has 0 bytes and reaches to the end. In order of offset. */
  public record SharedVariable(String name, int offset, int bytes) {}

  /** One parameter of a kernel. */
  public record Parameter(String name, int offset, int bytes) {}

  /**
   * A module variable in global or constant memory; its window is its position plus one.
   *
   * @param initial its first bytes; those behind are zeros
   */
  public record ModuleVariable(String name, boolean constant, int bytes, byte[] initial) {
    public byte[] contents() {
      return Arrays.copyOf(initial, bytes);
    }
  }
}
