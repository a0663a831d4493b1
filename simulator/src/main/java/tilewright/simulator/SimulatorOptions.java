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
 * @param fp4Model how block-scaled products are added up; both are unverified
 * @param threads CTAs that run at a time
 * @param instructionLimit thread instructions after which the launch is stopped
 * @param timeLimit wall-clock time after which the launch is stopped
 * @param memoryLimit bytes that buffers and what watches them may take; a launch that needs more is not begun
 * @param uninitialized buffers whose first contents no thread may read
 * @param ordered buffers to which threads may add in one order only, although additions are atomic
 * @param coordinates the elements of buffers and shared variables by name, for reports
 * @param output told what kernels print, block after block
 */
public record SimulatorOptions(long seed, boolean sanitize, boolean profile, OptionalInt architecture,
    Fp4Model fp4Model, int threads, long instructionLimit, Duration timeLimit, long memoryLimit,
    Set<String> uninitialized, Set<String> ordered, Map<String, Coordinates> coordinates, Consumer<String> output) {
  private static final long DEFAULT_INSTRUCTION_LIMIT = 1_000_000_000_000L;

  public SimulatorOptions {
    if (threads < 1) throw new IllegalArgumentException("threads is " + threads + ", but at least one must run");
    if (instructionLimit < 1) {
      throw new IllegalArgumentException("instruction limit is " + instructionLimit + ", but must be positive");
    }
    uninitialized = Set.copyOf(uninitialized);
    ordered = Set.copyOf(ordered);
    coordinates = Map.copyOf(coordinates);
  }

  /** Seed 0, no sanitizer, the module's architecture, all processors, 10¹² instructions, ten minutes. */
  public static SimulatorOptions defaults() {
    return new SimulatorOptions(0, false, false, OptionalInt.empty(), Fp4Model.SF_TENSOR,
        Runtime.getRuntime().availableProcessors(), DEFAULT_INSTRUCTION_LIMIT, Duration.ofMinutes(10),
        Runtime.getRuntime().maxMemory(), Set.of(), Set.of(), Map.of(), System.out::print);
  }

  public SimulatorOptions withSeed(long value) {
    return changed(draft -> draft.seed = value);
  }

  public SimulatorOptions withSanitizer(boolean value) {
    return changed(draft -> draft.sanitize = value);
  }

  /** Fills {@link SimulationResult#profile()}. */
  public SimulatorOptions withProfile(boolean value) {
    return changed(draft -> draft.profile = value);
  }

  /** Models the tensor cores of another architecture than the module's target: 80, 86, 89, 90, 100. */
  public SimulatorOptions withArchitecture(int value) {
    return changed(draft -> draft.architecture = OptionalInt.of(value));
  }

  /** Chooses between two published models of block-scaled products, neither of which was verified. */
  public SimulatorOptions withFp4Model(Fp4Model value) {
    return changed(draft -> draft.fp4Model = value);
  }

  public SimulatorOptions withThreads(int value) {
    return changed(draft -> draft.threads = value);
  }

  public SimulatorOptions withInstructionLimit(long value) {
    return changed(draft -> draft.instructionLimit = value);
  }

  public SimulatorOptions withTimeLimit(Duration value) {
    return changed(draft -> draft.timeLimit = value);
  }

  /** Refuses launches that need more bytes. */
  public SimulatorOptions withMemoryLimit(long value) {
    return changed(draft -> draft.memoryLimit = value);
  }

  /** Makes it a finding, with the sanitizer, to read what these buffers held before the launch. */
  public SimulatorOptions withUninitialized(Set<String> buffers) {
    return changed(draft -> draft.uninitialized = buffers);
  }

  /**
   * Makes it a finding, with the sanitizer, if nothing orders two reductions of one place in these buffers. Sums of
   * floating-point numbers depend on their order, and runs that add in another one give other bits.
   */
  public SimulatorOptions withOrderedReductions(Set<String> buffers) {
    return changed(draft -> draft.ordered = buffers);
  }

  /** Names the elements of buffers and shared variables in reports. */
  public SimulatorOptions withCoordinates(Map<String, Coordinates> value) {
    return changed(draft -> draft.coordinates = value);
  }

  /** Takes what kernels print, instead of standard output. */
  public SimulatorOptions withOutput(Consumer<String> value) {
    return changed(draft -> draft.output = value);
  }

  private SimulatorOptions changed(Consumer<Draft> change) {
    var draft = new Draft(this);
    change.accept(draft);
    return new SimulatorOptions(draft.seed, draft.sanitize, draft.profile, draft.architecture, draft.fp4Model,
        draft.threads, draft.instructionLimit, draft.timeLimit, draft.memoryLimit, draft.uninitialized,
        draft.ordered, draft.coordinates, draft.output);
  }

  /** Options on their way to others. */
  private static final class Draft {
    private long seed;
    private boolean sanitize;
    private boolean profile;
    private OptionalInt architecture;
    private Fp4Model fp4Model;
    private int threads;
    private long instructionLimit;
    private Duration timeLimit;
    private long memoryLimit;
    private Set<String> uninitialized;
    private Set<String> ordered;
    private Map<String, Coordinates> coordinates;
    private Consumer<String> output;

    Draft(SimulatorOptions o) {
      seed = o.seed;
      sanitize = o.sanitize;
      profile = o.profile;
      architecture = o.architecture;
      fp4Model = o.fp4Model;
      threads = o.threads;
      instructionLimit = o.instructionLimit;
      timeLimit = o.timeLimit;
      memoryLimit = o.memoryLimit;
      uninitialized = o.uninitialized;
      ordered = o.ordered;
      coordinates = o.coordinates;
      output = o.output;
    }
  }
}
