package tilewright.simulator;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How a launch is executed. {@link #defaults()} and the {@code with…} methods make one.
 *
 * @param seed chooses the order in which warps run and asynchronous copies land; equal seeds replay equal schedules
 * @param sanitize look for races, uninitialised reads and bank conflicts too; bounds and alignment are always checked
 * @param profile count what the kernel does and record when its warps wait
 * @param architecture whose tensor cores to model, such as 90; empty means the module's own target
 * @param threads CTAs that run at a time
 * @param instructionLimit thread instructions after which the launch is stopped
 * @param timeLimit wall-clock time after which the launch is stopped
 * @param uninitialized buffers whose first contents no thread may read
 * @param coordinates the elements of buffers and shared variables by name, for reports
 * @param output told what kernels print, block after block
 */
public record SimulatorOptions(long seed, boolean sanitize, boolean profile, OptionalInt architecture, int threads,
    long instructionLimit, Duration timeLimit, Set<String> uninitialized, Map<String, Coordinates> coordinates,
    Consumer<String> output) {
  private static final long DEFAULT_INSTRUCTION_LIMIT = 1_000_000_000_000L;

  public SimulatorOptions {
    if (threads < 1) throw new IllegalArgumentException("threads is " + threads + ", but at least one must run");
    if (instructionLimit < 1) {
      throw new IllegalArgumentException("instruction limit is " + instructionLimit + ", but must be positive");
    }
    uninitialized = Set.copyOf(uninitialized);
    coordinates = Map.copyOf(coordinates);
  }

  /** Seed 0, no sanitizer, the module's architecture, all processors, 10¹² instructions, ten minutes. */
  public static SimulatorOptions defaults() {
    return new SimulatorOptions(0, false, false, OptionalInt.empty(), Runtime.getRuntime().availableProcessors(),
        DEFAULT_INSTRUCTION_LIMIT, Duration.ofMinutes(10), Set.of(), Map.of(), System.out::print);
  }

  public SimulatorOptions withSeed(long value) {
    return new SimulatorOptions(value, sanitize, profile, architecture, threads, instructionLimit, timeLimit,
        uninitialized, coordinates, output);
  }

  public SimulatorOptions withSanitizer(boolean value) {
    return new SimulatorOptions(seed, value, profile, architecture, threads, instructionLimit, timeLimit,
        uninitialized, coordinates, output);
  }

  /** Fills {@link SimulationResult#profile()}. */
  public SimulatorOptions withProfile(boolean value) {
    return new SimulatorOptions(seed, sanitize, value, architecture, threads, instructionLimit, timeLimit,
        uninitialized, coordinates, output);
  }

  /** Models the tensor cores of another architecture than the module's target: 80, 86, 89, 90, 100. */
  public SimulatorOptions withArchitecture(int value) {
    return new SimulatorOptions(seed, sanitize, profile, OptionalInt.of(value), threads, instructionLimit,
        timeLimit, uninitialized, coordinates, output);
  }

  public SimulatorOptions withThreads(int value) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, value, instructionLimit, timeLimit,
        uninitialized, coordinates, output);
  }

  public SimulatorOptions withInstructionLimit(long value) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, threads, value, timeLimit, uninitialized,
        coordinates, output);
  }

  public SimulatorOptions withTimeLimit(Duration value) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, threads, instructionLimit, value,
        uninitialized, coordinates, output);
  }

  /** With the sanitizer, reading what these buffers held before the launch is an error. */
  public SimulatorOptions withUninitialized(Set<String> buffers) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, threads, instructionLimit, timeLimit,
        buffers, coordinates, output);
  }

  /** Names the elements of buffers and shared variables in reports. */
  public SimulatorOptions withCoordinates(Map<String, Coordinates> value) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, threads, instructionLimit, timeLimit,
        uninitialized, value, output);
  }

  /** Tells another consumer what kernels print; without one it goes to standard output. */
  public SimulatorOptions withOutput(Consumer<String> value) {
    return new SimulatorOptions(seed, sanitize, profile, architecture, threads, instructionLimit, timeLimit,
        uninitialized, coordinates, value);
  }
}
