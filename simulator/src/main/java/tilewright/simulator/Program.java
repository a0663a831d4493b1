package tilewright.simulator;

import java.util.ArrayList;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import tilewright.ptx.Function;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxModule;

/** A loaded module. It keeps no state between launches and may run several at a time. */
public final class Program {
  static final Engine ENGINE =
      ServiceLoader.load(Engine.class, Engine.class.getClassLoader()).findFirst().orElseThrow();

  private final PtxModule module;
  private final Optional<String> only;
  private final Runnable check;
  private final Map<String, Engine.Executable> kernels;
  private Map<String, Engine.Executable> watched = Map.of();
  private Map<String, Engine.Executable> stepwise = Map.of();

  private Program(PtxModule module, Optional<String> only, boolean plain, Runnable check) {
    this.module = module;
    this.only = only;
    this.check = check;
    kernels = plain ? compile(Engine.Code.FAST) : Map.of();
  }

  static Program of(PtxModule module) {
    return new Program(module, Optional.empty(), true, () -> {});
  }

  /**
   * A program of one kernel, which is executed once.
   *
   * @param check called now and then while it is compiled: it ends that by throwing an exception
   */
  static Program of(PtxModule module, String entry, SimulatorOptions options, Runnable check) {
    return new Program(module, Optional.of(entry), !watches(options), check);
  }

  private Map<String, Engine.Executable> compile(Engine.Code code) {
    return compile(module, 1, only, code, check);
  }

  private static Map<String, Engine.Executable> compile(PtxModule module, int firstWindow, Optional<String> only,
      Engine.Code code, Runnable check) {
    var problems = new ArrayList<UnsupportedPtxException.Problem>();
    var compiled = ENGINE.compile(module, firstWindow, only, code, problems, check);
    if (!problems.isEmpty()) throw new UnsupportedPtxException(problems);
    return Map.copyOf(compiled);
  }

  /** The code that tells the sanitizer and the profile what it does: other code, so that the usual one pays nothing. */
  private synchronized Engine.Executable watched(String entry) {
    if (watched.isEmpty()) watched = compile(Engine.Code.WATCHED);
    return watched.get(entry);
  }

  /**
   * Executes one launch to its end or to its first fatal error. Results are written into the launch's buffers.
   *
   * @throws IllegalArgumentException when the launch does not fit the kernel: no such entry, other parameters, a block
   *     of more than 1024 threads, clusters
   */
  public SimulationResult run(Launch launch, SimulatorOptions options) {
    return run(launch, options, System.nanoTime());
  }

  /**
   * Explores the schedules of a small launch, until something is found, all are known or a limit is reached. Warps run
   * undisturbed from one synchronising instruction to the next: the sanitizer finds what does not hold for that.
   *
   * @throws IllegalArgumentException as {@link #run}, and for a launch that is too large
   */
  public Exploration explore(Launch launch, SimulatorOptions options, ExplorationLimits limits) {
    return stepwise(launch.entry()).explore(launch, options, limits);
  }

  /**
   * Executes one launch under a schedule that {@link #explore} gave, with the sanitizer.
   *
   * @throws IllegalArgumentException as {@link #explore}, and for a schedule of another launch
   */
  public SimulationResult replay(Launch launch, SimulatorOptions options, Schedule schedule) {
    return stepwise(launch.entry()).replay(launch, options, schedule);
  }

  private synchronized Engine.Executable stepwise(String entry) {
    if (stepwise.isEmpty()) stepwise = compile(Engine.Code.STEPWISE);
    return require(stepwise.get(entry), entry);
  }

  /** Executes one launch in limited time that began at {@code start}, a {@link System#nanoTime}. */
  SimulationResult run(Launch launch, SimulatorOptions options, long start) {
    var kernel = watches(options) ? watched(launch.entry()) : kernels.get(launch.entry());
    return require(kernel, launch.entry()).run(launch, options, Optional.empty(), start);
  }

  /** One kernel of a module for a device among others: its variables begin at an address window of their own. */
  static Engine.Executable compiled(PtxModule module, int firstWindow, String entry, SimulatorOptions options,
      Runnable check) {
    var code = watches(options) ? Engine.Code.WATCHED : Engine.Code.FAST;
    return require(module, compile(module, firstWindow, Optional.of(entry), code, check).get(entry), entry);
  }

  private Engine.Executable require(Engine.Executable kernel, String entry) {
    return require(module, kernel, entry);
  }

  /** @param kernel null if there is none of that name */
  private static Engine.Executable require(PtxModule module, Engine.Executable kernel, String entry) {
    if (kernel != null) return kernel;
    throw new IllegalArgumentException("the module has no kernel '" + entry + "': it has "
        + module.functions().stream().filter(f -> f.entry() && f.body().isPresent()).map(Function::name).sorted()
            .toList());
  }

  private static boolean watches(SimulatorOptions options) {
    return options.sanitize() || options.profile();
  }
}
