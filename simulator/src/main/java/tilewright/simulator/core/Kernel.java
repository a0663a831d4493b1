package tilewright.simulator.core;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/**
 * A compiled kernel.
 *
 * @param ints register arrays a warp needs, by kind
 * @param shared variables in shared memory
 * @param liveRegisters 32-bit registers of a thread that hold something needed at one time, at most; 0 unless watched
 * @param gapBytes how much of shared memory lies between variables only to notice who overruns one
 * @param clusters what the kernel's directives say about clusters
 * @param registers of a thread at first, where directives tell
 * @param parameters offset and size of each, in parameter memory
 */
public record Kernel(String name, BlockCode code, List<Block> blocks, List<Site> sites, int ints, int floats, int longs,
    int doubles, int predicates, int staticSharedBytes, int dynamicSharedOffset, int localBytes, int parameterBytes,
    List<Parameter> parameters, List<ModuleVariable> variables, List<SharedVariable> shared, int gapBytes,
    int liveRegisters, int target, ClusterNeed clusters, OptionalInt registers) {

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
