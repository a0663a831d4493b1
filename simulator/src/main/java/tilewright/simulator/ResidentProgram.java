package tilewright.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Function;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxModule;

/**
 * A module that was loaded into {@link DeviceMemory}: its variables keep their values between launches, and its
 * launches find global memory there and have no buffers of their own. Each kernel is compiled when it is first run.
 */
public final class ResidentProgram {
  private final PtxModule module;
  private final DeviceMemory memory;
  private final int firstWindow;
  private final Map<String, Variable> variables = new LinkedHashMap<>();
  private final Map<Choice, Engine.Executable> compiled = new HashMap<>();

  /** A kernel, and whether its code tells the sanitizer and the profile what it does. */
  private record Choice(String entry, boolean watching) {}

  /** The place of a variable in global or constant memory. */
  public record Variable(long address, int bytes) {}

  /** Loads a module: gives its variables their places and first values. */
  ResidentProgram(PtxModule module, DeviceMemory memory) {
    this.module = module;
    this.memory = memory;
    synchronized (memory) {
      firstWindow = memory.windows();
      for (var v : Program.ENGINE.variables(module, firstWindow)) {
        long address = memory.allocate(v.name(), v.bytes());
        System.arraycopy(v.initial(), 0, memory.contents(address), 0, v.initial().length);
        memory.initialise(address);
        variables.put(v.name(), new Variable(address, v.bytes()));
      }
    }
  }

  /** The module as it was parsed. */
  public PtxModule module() {
    return module;
  }

  /** The module's variables in global and constant memory, by name. */
  public Map<String, Variable> variables() {
    return Map.copyOf(variables);
  }

  /** The kernel of that name, if the module has it. */
  public Optional<Function> kernel(String name) {
    return module.functions().stream().filter(f -> f.entry() && f.body().isPresent() && f.name().equals(name))
        .findFirst();
  }

  /**
   * Executes a launch to its end or to its first fatal error.
   *
   * @throws UnsupportedPtxException naming every instruction of the kernel that the simulator lacks, by line
   * @throws IllegalArgumentException when the launch has buffers or does not fit the kernel
   */
  public SimulationResult run(Launch launch, SimulatorOptions options) {
    if (!launch.buffers().isEmpty()) {
      throw new IllegalArgumentException("the launch has buffers " + launch.buffers().keySet()
          + ", but its program works on device memory: pass addresses");
    }
    return executable(launch.entry(), options).run(launch, options, Optional.of(memory), System.nanoTime());
  }

  /** The memory and registers that a kernel needs. */
  public KernelResources resources(String entry) {
    return executable(entry, SimulatorOptions.defaults()).resources();
  }

  private synchronized Engine.Executable executable(String entry, SimulatorOptions options) {
    return compiled.computeIfAbsent(new Choice(entry, options.sanitize() || options.profile()), this::compile);
  }

  private Engine.Executable compile(Choice choice) {
    if (kernel(choice.entry).isEmpty()) {
      throw new IllegalArgumentException("the module has no kernel '" + choice.entry + "'");
    }
    var problems = new ArrayList<UnsupportedPtxException.Problem>();
    var kernels = Program.ENGINE.compile(module, firstWindow, Optional.of(choice.entry),
        choice.watching ? Engine.Code.WATCHED : Engine.Code.FAST, problems,
        () -> {});
    if (!problems.isEmpty()) throw new UnsupportedPtxException(problems);
    return kernels.get(choice.entry);
  }
}
