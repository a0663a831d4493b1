package tilewright.simulator;

import java.util.List;
import tilewright.ptx.Dim3;

/**
 * The work of a launch, by kind.
 *
 * @param classes instructions executed, most frequent class first
 * @param executions of each instruction, in PTX order
 * @param spaces bytes that threads moved, by state space
 * @param bulk bytes that bulk copies moved, by instruction, in PTX order
 * @param sharedAccesses shared-memory accesses by instruction, in PTX order
 * @param globalAccesses global-memory accesses by instruction, in PTX order
 * @param occupancy how many CTAs an SM holds, and what limits them
 * @param timeline what the warps of the first CTAs did when
 * @param barriers who arrived at which mbarrier of the first CTAs, and who waited for it
 * @param tensorMemory who used which columns of Tensor Memory in the first CTAs
 */
public record Profile(List<ClassCount> classes, List<Executions> executions, List<SpaceTraffic> spaces,
    List<BulkTraffic> bulk, List<BankConflicts> sharedAccesses, List<GlobalTraffic> globalAccesses, Occupancy occupancy,
    List<Slice> timeline, List<BarrierUse> barriers,
    List<TensorMemoryUse> tensorMemory) {
  public Profile {
    classes = List.copyOf(classes);
    executions = List.copyOf(executions);
    bulk = List.copyOf(bulk);
    spaces = List.copyOf(spaces);
    sharedAccesses = List.copyOf(sharedAccesses);
    globalAccesses = List.copyOf(globalAccesses);
    timeline = List.copyOf(timeline);
    barriers = List.copyOf(barriers);
    tensorMemory = List.copyOf(tensorMemory);
  }

  /**
   * Instructions of one class.
   *
   * @param name such as {@code f32}, {@code tensor}, {@code global}
   * @param warps executions by a warp, or a part of one
   * @param threads executions by a thread
   */
  public record ClassCount(String name, long warps, long threads) {}

  /**
   * How often an instruction was executed.
   *
   * @param line of the PTX text
   * @param warps executions by a warp, or a part of one
   * @param threads executions by a thread, counting those whose guard is false
   */
  public record Executions(int line, String instruction, long warps, long threads) {}

  /**
   * The bytes that the bulk copies of an instruction moved.
   *
   * @param line of the PTX text
   * @param loaded bytes from global memory, once for all CTAs that receive them
   * @param received bytes in all of these
   * @param stored bytes from shared to global memory
   */
  public record BulkTraffic(int line, String instruction, long loaded, long received, long stored) {}

  /** Bytes that threads read from and wrote to a state space; an atomic operation does both. */
  public record SpaceTraffic(String space, long bytesRead, long bytesWritten) {}

  /**
   * A warp's use of an mbarrier.
   *
   * @param block that has it
   * @param offset in its shared memory
   * @param by block of the warp
   * @param times threads that waited until a phase was over, threads or operations that arrived
   */
  public record BarrierUse(Dim3 block, int offset, Kind kind, Dim3 by, int warp, long times) {
    /** An asynchronous operation arrives with bytes that it has brought, or since the thread committed to that. */
    public enum Kind { ARRIVAL, BYTES, COMMIT, WAIT }

    /** Returns this use with another count. */
    public BarrierUse times(long count) {
      return new BarrierUse(block, offset, kind, by, warp, count);
    }
  }

  /**
   * A warp's use of columns of Tensor Memory.
   *
   * @param block that has them
   * @param what such as {@code loads from} or {@code multiplies into}
   * @param by block of the warp
   */
  public record TensorMemoryUse(Dim3 block, int first, int columns, String what, Dim3 by, int warp, long times) {
    /** Returns this use with another count. */
    public TensorMemoryUse times(long count) {
      return new TensorMemoryUse(block, first, columns, what, by, warp, count);
    }
  }

  /**
   * A stretch of a warp's life.
   *
   * @param what {@code run}, or the instruction it waits at
   * @param line of that instruction, 0 while it runs
   * @param begin in warp instructions that its CTA had executed
   * @param end likewise
   */
  public record Slice(Dim3 block, int warp, String what, int line, long begin, long end) {}
}
