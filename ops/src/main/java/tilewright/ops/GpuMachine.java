package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import tilewright.device.BoundKernel;
import tilewright.device.DeviceMemory;
import tilewright.device.Gpu;
import tilewright.device.GpuFunction;
import tilewright.device.Graph;
import tilewright.device.KernelArgument;
import tilewright.device.Stream;
import tilewright.kernel.Target;
import tilewright.kernels.registry.KernelRegistry;

/** One stream of a GPU. Memory that is closed is there for what the stream gets next, without the driver. */
final class GpuMachine implements Machine {
  /** Bound launches to keep of a plan, such as one for the weights of each layer. */
  private static final int MOST_BOUND = 256;

  private final Gpu gpu;
  private final Stream stream;
  private final Runnable closing;
  private final DevicePool pool;
  private final LoadedCode<GpuFunction> functions;
  private final List<Runnable> checks = new CopyOnWriteArrayList<>();
  /** The memory that work of the capture that goes on uses. */
  private volatile Optional<Set<DeviceMemory>> captured = Optional.empty();

  /** @param closing what to close of the GPU and the stream in the end */
  GpuMachine(Gpu gpu, Stream stream, Runnable closing) {
    this.gpu = gpu;
    this.stream = stream;
    this.closing = closing;
    this.pool = new DevicePool(gpu::allocate);
    this.functions = new LoadedCode<>(kernel -> gpu.kernel(kernel.ptx(), kernel.name()));
  }

  @Override
  public Storage allocate(long bytes) {
    return new Storage.OfGpu(pool.allocate(bytes), pool::release);
  }

  @Override
  public void clear(Storage storage) {
    used(storage).fill((byte) 0, stream);
  }

  @Override
  public Storage foreign(long address, long bytes, Runnable atRelease) {
    return new Storage.OfGpu(gpu.foreignMemory(address, bytes), memory -> {
      memory.close();
      atRelease.run();
    });
  }

  @Override
  public void requireDevice(DlPack tensor) {
    int own = gpu.properties().index();
    if (tensor.deviceType() == DlPack.CUDA && tensor.deviceId() == own) return;
    throw new IllegalArgumentException("a DLPack tensor of device type " + tensor.deviceType() + " and number "
        + tensor.deviceId() + ": this is type " + DlPack.CUDA + ", number " + own);
  }

  @Override
  public long address(Storage storage) {
    return used(storage).address();
  }

  /** A stream of the caller's need not be ordered with copies that name none. */
  @Override
  public void write(Storage to, long offset, MemorySegment from) {
    synchronize();
    memory(to).copyFrom(from, offset);
  }

  @Override
  public void read(Storage from, long offset, MemorySegment to) {
    synchronize();
    memory(from).copyTo(to, offset);
  }

  private static DeviceMemory memory(Storage storage) {
    return ((Storage.OfGpu) storage).memory();
  }

  /** The memory of a storage for work that is enqueued. */
  private DeviceMemory used(Storage storage) {
    var memory = memory(storage);
    captured.ifPresent(all -> all.add(memory));
    return memory;
  }

  /** Launches of a plan, with scratch memory that the stream's order makes theirs alone. */
  private final class Loaded implements Executable {
    private final Plan plan;
    private final List<GpuFunction> code;
    private final Map<String, DeviceMemory> scratch = new HashMap<>();
    private final Map<Map<String, KernelArgument.Address>, List<BoundKernel>> bound =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(
              Map.Entry<Map<String, KernelArgument.Address>, List<BoundKernel>> eldest) {
            return size() > MOST_BOUND;
          }
        };

    Loaded(Plan plan) {
      this.plan = plan;
      code = plan.launches().stream().map(launch -> functions.of(launch.kernel())).toList();
    }

    @Override
    public void run(Map<String, Storage.Place> places) {
      var addresses = new HashMap<String, KernelArgument.Address>();
      places.forEach((name, place) ->
          addresses.put(name, new KernelArgument.Address(used(place.storage()), place.begin())));
      synchronized (GpuMachine.this) {
        for (var kernel : bound.computeIfAbsent(addresses, this::bind)) kernel.launch(stream);
        captured.ifPresent(all -> all.addAll(scratch.values()));
      }
    }

    /** Lets go of what the plan holds; a plan that is used again makes it anew. */
    @Override
    public void close() {
      synchronized (GpuMachine.this) {
        bound.clear();
        scratch.values().forEach(pool::release);
        scratch.clear();
      }
    }

    private DeviceMemory zeros(long bytes) {
      requireRunBefore();
      var memory = pool.allocate(bytes);
      memory.fill((byte) 0, stream);
      return memory;
    }

    private List<BoundKernel> bind(Map<String, KernelArgument.Address> addresses) {
      plan.zeros().forEach((name, bytes) -> scratch.computeIfAbsent(name, _ -> zeros(bytes)));
      for (var launch : plan.launches()) {
        launch.scratch().forEach(part -> scratch.computeIfAbsent(part.name(), _ -> zeros(part.bytes())));
      }
      var all = new HashMap<>(addresses);
      scratch.forEach((name, memory) -> all.put(name, new KernelArgument.Address(memory, 0)));
      var kernels = new ArrayList<BoundKernel>();
      for (int i = 0; i < code.size(); i++) kernels.add(gpu.bindAt(code.get(i), plan.launches().get(i), all));
      return kernels;
    }
  }

  @Override
  public Executable load(Plan plan) {
    requireRunBefore();
    return new Loaded(plan);
  }

  /** Scratch memory that a capture cleared would be cleared at replays only. */
  private void requireRunBefore() {
    if (captured.isEmpty()) return;
    throw new IllegalStateException("an operator is captured that did not run before: each call of a capture must "
        + "call the same operators on the same shapes");
  }

  @Override
  public Ops.Captured capture(Runnable calls) {
    Set<DeviceMemory> used = ConcurrentHashMap.newKeySet();
    captured = Optional.of(used);
    try {
      var graph = stream.capture(calls);
      pool.hold(used);
      return new CapturedGraph(graph, used);
    } finally {
      captured = Optional.empty();
    }
  }

  /** A graph whose memory is for nothing else. */
  private final class CapturedGraph implements Ops.Captured {
    private final Graph graph;
    private final Set<DeviceMemory> used;

    CapturedGraph(Graph graph, Set<DeviceMemory> used) {
      this.graph = graph;
      this.used = used;
    }

    @Override
    public void replay() {
      graph.launch(stream);
    }

    @Override
    public void close() {
      graph.close();
      synchronized (used) {
        pool.letGo(used);
        used.clear();
      }
    }
  }

  @Override
  public boolean isCapturing() {
    return captured.isPresent();
  }

  @Override
  public void synchronize() {
    if (isCapturing()) throw SimulatorMachine.capturing();
    checks.forEach(Runnable::run);
    stream.synchronize();
  }

  @Override
  public Optional<Stream> stream() {
    return Optional.of(stream);
  }

  @Override
  public Runnable beforeWaits(Runnable check) {
    checks.add(check);
    return () -> checks.remove(check);
  }

  @Override
  public KernelRegistry kernels() {
    return KernelRegistry.builtIn().on(gpu.properties().capability());
  }

  /** The GPU's own kernels first, then those of earlier ones that it runs. */
  @Override
  public int preference(Target target) {
    return target.runsOn(gpu.properties().capability()) ? target.capability() : -1;
  }

  @Override
  public void close() {
    try {
      stream.synchronize();
    } finally {
      pool.close();
      closing.run();
    }
  }

  @Override
  public String toString() {
    return gpu.toString();
  }
}
