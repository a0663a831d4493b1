package tilewright.ops;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.simulator.Finding;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The simulator: a launch is done when it has been enqueued. */
final class SimulatorMachine implements Machine {
  private final SimulatorOptions options;
  private final LoadedCode<Program> programs;
  /** The work of the capture that goes on. */
  private volatile Optional<List<Runnable>> captured = Optional.empty();

  SimulatorMachine(SimulatorOptions options) {
    this(options, new LoadedCode<>(kernel -> Simulator.load(kernel.ptx())));
  }

  private SimulatorMachine(SimulatorOptions options, LoadedCode<Program> programs) {
    this.options = options;
    this.programs = programs;
  }

  /** Another device that has the same programs. */
  SimulatorMachine another() {
    return new SimulatorMachine(options, programs);
  }

  @Override
  public Storage allocate(long bytes) {
    return new Storage.OfHost(Arena.ofAuto().allocate(bytes, Storage.ALIGNMENT), () -> {});
  }

  @Override
  public void clear(Storage storage) {
    enqueue(() -> segment(storage).fill((byte) 0));
  }

  @Override
  @SuppressWarnings("restricted")
  public Storage foreign(long address, long bytes, Runnable atRelease) {
    return new Storage.OfHost(MemorySegment.ofAddress(address).reinterpret(bytes), atRelease);
  }

  @Override
  public void requireDevice(DlPack tensor) {
    if (tensor.deviceType() == DlPack.CPU) return;
    throw new IllegalArgumentException("a DLPack tensor of device type " + tensor.deviceType()
        + ": the simulator reads memory of the process, type " + DlPack.CPU);
  }

  @Override
  public long address(Storage storage) {
    return segment(storage).address();
  }

  @Override
  public void write(Storage to, long offset, MemorySegment from) {
    synchronize();
    segment(to).asSlice(offset, from.byteSize()).copyFrom(from);
  }

  @Override
  public void read(Storage from, long offset, MemorySegment to) {
    synchronize();
    to.copyFrom(segment(from).asSlice(offset, to.byteSize()));
  }

  private static MemorySegment segment(Storage storage) {
    return ((Storage.OfHost) storage).segment();
  }

  private record Step(PreparedLaunch launch, Program program, SimulatorOptions options) {
    void run(Map<String, MemorySegment> buffers) {
      var findings = program.run(launch.on(buffers), options).findings();
      if (findings.isEmpty()) return;
      throw new IllegalStateException("kernel " + launch.kernel().name() + " on the simulator: "
          + findings.stream().map(Finding::describe).collect(Collectors.joining("\n\n")));
    }
  }

  private record Steps(List<Step> steps, Map<String, Long> zeros) implements Executable {
    @Override
    public void run(Map<String, Storage.Place> places) {
      var buffers = new HashMap<String, MemorySegment>();
      places.forEach((name, place) -> buffers.put(name, segment(place.storage()).asSlice(place.begin(),
          place.bytes())));
      zeros.forEach((name, bytes) -> buffers.put(name, Arena.ofAuto().allocate(bytes, Storage.ALIGNMENT)));
      for (var step : steps) step.run(buffers);
    }

    @Override
    public void close() {}
  }

  @Override
  public Executable load(Plan plan) {
    return new Steps(plan.launches().stream().map(launch -> new Step(launch,
        programs.of(launch.kernel()), options.withCoordinates(TensorCoordinates.of(launch)))).toList(),
        plan.zeros());
  }

  @Override
  public void enqueue(Runnable work) {
    captured.ifPresentOrElse(all -> all.add(work), work);
  }

  @Override
  public Ops.Captured capture(Runnable calls) {
    var work = new ArrayList<Runnable>();
    captured = Optional.of(work);
    try {
      calls.run();
      return new CapturedList(work);
    } finally {
      captured = Optional.empty();
    }
  }

  /** Work to do again, in its order. */
  private static final class CapturedList implements Ops.Captured {
    private final List<Runnable> work;
    private boolean closed;

    CapturedList(List<Runnable> work) {
      this.work = work;
    }

    @Override
    public synchronized void replay() {
      if (closed) throw new IllegalStateException("the captured calls are closed");
      work.forEach(Runnable::run);
    }

    @Override
    public synchronized void close() {
      closed = true;
      work.clear();
    }
  }

  @Override
  public boolean isCapturing() {
    return captured.isPresent();
  }

  @Override
  public void synchronize() {
    if (isCapturing()) throw capturing();
  }

  static IllegalStateException capturing() {
    return new IllegalStateException("calls are captured, not run: write, read and wait for tensors before or after");
  }

  @Override
  public KernelRegistry kernels() {
    return KernelRegistry.builtIn();
  }

  /** Every kernel, the simplest first: it takes the least time here. */
  @Override
  public int preference(Target target) {
    return Integer.MAX_VALUE - target.capability();
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "the simulator";
  }
}
