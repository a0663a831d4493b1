package tilewright.simulator;

import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorMapRules;
import tilewright.simulator.tensormap.TensorDescriptor;
import tilewright.simulator.tensormap.TensorMapBytes;

/**
 * Loads PTX for execution on the CPU. Arithmetic gives the bits of an H200: all correctly rounded forms, the
 * approximations {@code rcp}, {@code sqrt}, {@code rsqrt} and {@code ex2} of f32, {@code ex2} and {@code tanh} of f16
 * and bf16. Not the hardware's bits, but within the errors that the PTX ISA allows: {@code sin}, {@code cos},
 * {@code lg2} and {@code tanh} of f32, {@code div.approx} and {@code div.full}, the approximations of f64.
 */
public final class Simulator {
  private Simulator() {}

  /** Loads a module into memory that outlives its launches, as a GPU's driver does. */
  public static ResidentProgram load(PtxModule module, DeviceMemory memory) {
    return new ResidentProgram(module, memory);
  }

  /**
   * Parses a module and checks that every instruction of it can be executed.
   *
   * @throws UnsupportedPtxException naming every instruction the simulator lacks, by line
   */
  public static Program load(String ptx) {
    return load(PtxParser.parse(ptx));
  }

  /**
   * Runs one launch from its text: only its kernel, with the functions that this calls, is compiled. The limits of time
   * and memory, and the time that the result tells, count from the text on.
   *
   * @throws UnsupportedPtxException naming every instruction of the kernel that the simulator lacks, by line
   * @throws IllegalArgumentException as {@link Program#run}
   */
  public static SimulationResult run(Launch launch, SimulatorOptions options) {
    return LimitedRun.of(launch, options);
  }

  /**
   * Runs launches of several devices at the same time, each from its text as {@link #run(Launch, SimulatorOptions)}
   * does. Whose turn it is, the seed decides; they all run on one thread. With the sanitizer, accesses of different
   * devices are ordered only by synchronisation of scope {@code .sys}.
   *
   * @throws UnsupportedPtxException naming every instruction of a kernel that the simulator lacks, by line
   * @throws IllegalArgumentException as {@link Program#run}
   */
  public static GroupResult run(LaunchGroup group, SimulatorOptions options) {
    return LimitedRun.of(group, options);
  }

  /**
   * Encodes a tensor map over memory that begins at an address, for kernels of the simulator only.
   *
   * @param architecture the compute capability times ten, whose rules the map must keep
   * @throws IllegalArgumentException with all rules that it breaks
   */
  public static byte[] encode(TensorMap map, long address, int architecture) {
    TensorMapRules.require(map, address, architecture);
    return TensorMapBytes.encode(TensorDescriptor.of(map, address));
  }

  /** Like {@link #load(String)}, for a module that was parsed or built already. */
  public static Program load(PtxModule module) {
    return Program.of(module);
  }
}
