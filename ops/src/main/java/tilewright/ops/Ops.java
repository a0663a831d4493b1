package tilewright.ops;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import tilewright.device.Gpu;
import tilewright.device.Stream;
import tilewright.device.driver.GpuProbe;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.Pointwise;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.simulator.SimulatorOptions;

/**
 * Operators on tensors, on one stream of a GPU or in the simulator:
 *
 * {@snippet :
 * try (var ops = Ops.open();
 *     var x = ops.tensor(ElementType.BF16, numbers, 4, 64);
 *     var w = ops.tensor(ElementType.BF16, weights, 32, 64);
 *     var y = ops.linear(x, w)) {
 *   float[] result = y.floats();
 * }
 * }
 *
 * <p>Operators return a new tensor, which the caller closes, or which ends with this. On a GPU they return before it is
 * computed; {@link DeviceTensor#floats} and {@link #synchronize} wait. In the simulator they return when it is
 * computed, with the bits that a GPU computes. Kernels are traced and compiled for the first call of a kind; machine
 * code is kept on disk below {@code XDG_CACHE_HOME} or {@code ~/.cache}, in {@code tilewright}.
 *
 * <p>Any thread may call; calls of one thread follow each other in order. Threads that write and read one tensor order
 * their calls themselves.
 *
 * <p>A call that no kernel computes throws {@link IllegalArgumentException} with the reason and what can be computed; a
 * call with a tensor that is closed, or after closing this, {@link IllegalStateException}. A failing GPU throws
 * {@link tilewright.device.driver.GpuException}, some of it not before the results are waited for.
 */
public final class Ops implements AutoCloseable {
  private final Machine machine;
  private final KernelRegistry registry;
  private final PlanStore plans;
  /** Problems that differ in an extent, such as a cache that grows, mostly have one kernel. */
  private final CompiledKernel.Traces traces = new CompiledKernel.Traces();
  private final TensorMemory memory;
  private final Maps maps = new Maps(this);
  private final RowOperators rows = new RowOperators(this);
  private final Rotary rotary = new Rotary(this);
  private final Products products;
  private final AttentionOperator attention;
  private final CacheOperators caches;
  private final Quantizers quantizers;

  private Ops(Machine machine) {
    this(machine, new PlanStore());
  }

  private Ops(Machine machine, PlanStore plans) {
    this.machine = machine;
    this.plans = plans;
    this.registry = machine.kernels();
    this.memory = new TensorMemory(this, machine);
    this.products = new Products(this, machine, registry);
    this.attention = new AttentionOperator(this, machine, registry);
    this.caches = new CacheOperators(this, machine, attention);
    this.quantizers = new Quantizers(this, machine);
  }

  /** Opens the first GPU where this machine has one, else the simulator. */
  public static Ops open() {
    return Gpu.probe() instanceof GpuProbe.Available(_, var devices) && !devices.isEmpty() ? gpu(0) : simulator();
  }

  /** Opens the simulator. */
  public static Ops simulator() {
    return simulator(SimulatorOptions.defaults());
  }

  /**
   * Opens the simulator with other options, such as its sanitizer. What it finds is thrown as
   * {@link IllegalStateException}.
   */
  public static Ops simulator(SimulatorOptions options) {
    return new Ops(new SimulatorMachine(options));
  }

  /**
   * Opens several devices of one simulator, such as one for each rank of a
   * {@link tilewright.ops.collectives.Communicator}. What one has prepared runs on the others too.
   */
  public static List<Ops> simulators(int count) {
    var machine = new SimulatorMachine(SimulatorOptions.defaults());
    var plans = new PlanStore();
    return IntStream.range(0, count).mapToObj(_ -> new Ops(machine.another(), plans)).toList();
  }

  /**
   * Opens a GPU, and closes it in the end.
   *
   * @param ordinal from 0
   * @throws tilewright.device.driver.GpuException when there is no usable driver or no such device
   */
  public static Ops gpu(int ordinal) {
    var gpu = Gpu.open(ordinal);
    return new Ops(new GpuMachine(gpu, gpu.stream(), gpu::close));
  }

  /** A stream of its own on a GPU that the caller has opened and will close. */
  public static Ops on(Gpu gpu) {
    var stream = gpu.stream();
    return new Ops(new GpuMachine(gpu, stream, stream::close));
  }

  /** A stream that the caller has opened, such as another library's, and will close. */
  public static Ops on(Gpu gpu, Stream stream) {
    return new Ops(new GpuMachine(gpu, stream, () -> {}));
  }

  /**
   * Returns a tensor of these numbers, rounded to nearest even.
   *
   * @param numbers the last mode fastest
   * @param shape one extent per mode
   */
  public DeviceTensor tensor(ElementType type, float[] numbers, long... shape) {
    return memory.filled(type, Shape.rowMajor(shape), HostNumbers.of(type, numbers), numbers.length);
  }

  /**
   * Returns a tensor of these bytes, such as a part of a mapped file.
   *
   * @param bytes the elements, little-endian, the last mode fastest
   */
  public DeviceTensor tensor(ElementType type, MemorySegment bytes, long... shape) {
    var form = Shape.rowMajor(shape);
    long needed = type.bytes(form.elements());
    if (bytes.byteSize() != needed) {
      throw new IllegalArgumentException("a tensor " + type.text() + form + " has " + needed + " bytes, but "
          + bytes.byteSize() + " are given");
    }
    return memory.filled(type, form, bytes);
  }

  /** Returns a tensor of i32, such as indices. */
  public DeviceTensor ints(int[] numbers, long... shape) {
    return memory.filled(ElementType.I32, Shape.rowMajor(shape), HostNumbers.of(ElementType.I32, numbers),
        numbers.length);
  }

  /** Returns a tensor of whatever the memory holds. */
  public DeviceTensor empty(ElementType type, long... shape) {
    return memory.allocate(type, Shape.rowMajor(shape));
  }

  /** Returns a tensor of zeros. */
  public DeviceTensor zeros(ElementType type, long... shape) {
    var tensor = empty(type, shape);
    machine.clear(tensor.storage());
    return tensor;
  }

  /**
   * A tensor in memory that others own, and keep while it is used: a GPU's address, or in the simulator one of the
   * process. Closing the tensor leaves the memory alone. What others do with it they order with this stream's work.
   *
   * @param address of the first element, a multiple of an element's bytes
   * @param layout coordinates → offset in elements; nested modes become modes side by side
   */
  public DeviceTensor foreign(ElementType type, long address, Layout layout) {
    return memory.foreign(type, address, Shape.of(layout), () -> {});
  }

  /** A tensor in memory that others own; see {@link #foreign(ElementType, long, Layout)}. */
  public DeviceTensor foreign(ElementType type, long address, long[] shape, long[] strides) {
    return memory.foreign(type, address, new Shape(Arrays.stream(shape).boxed().toList(),
        Arrays.stream(strides).boxed().toList()), () -> {});
  }

  /**
   * A tensor that another library has given as a DLPack {@code DLManagedTensor}, on this GPU, or for the simulator in
   * the memory of the process. Closing the tensor waits for the operators before, and calls the library's deleter.
   *
   * @param managedTensor the struct's address
   * @throws IllegalArgumentException for a type that no tensor here has, or another device; the deleter is not called
   */
  public DeviceTensor dlpack(long managedTensor) {
    return memory.dlpack(managedTensor);
  }

  /** X·Wᵀ of X (…,K) and W (N,K): (…,N). */
  public DeviceTensor linear(DeviceTensor x, DeviceTensor w) {
    return linear(x, w, GemmOptions.of());
  }

  /** X·Wᵀ + bias of X (…,K), W (N,K) and the bias (N): (…,N). */
  public DeviceTensor linear(DeviceTensor x, DeviceTensor w, DeviceTensor bias) {
    return linear(x, w, GemmOptions.of().bias(bias));
  }

  /** f(X·Wᵀ + bias) of X (…,K), W (N,K) and the bias (N): (…,N). */
  public DeviceTensor linear(DeviceTensor x, DeviceTensor w, DeviceTensor bias, Pointwise activation) {
    return linear(x, w, GemmOptions.of().bias(bias).activation(activation));
  }

  /** X·Wᵀ of X (…,K) and W (N,K), with options for the rows of the result: (…,N). */
  public DeviceTensor linear(DeviceTensor x, DeviceTensor w, GemmOptions options) {
    requireOwn(x);
    requireOwn(w);
    if (x.rank() == 0 || w.rank() != 2 || x.size(-1) != w.size(1)) {
      throw new IllegalArgumentException("no linear layer of " + x + " with weights " + w
          + ": needed are (…,K) and (N,K)");
    }
    long[] shape = x.shape();
    shape[shape.length - 1] = w.size(0);
    try (var matrix = Held.matrix(x)) {
      var product = products.multiply(matrix.tensor(), w.transpose(0, 1), options);
      if (options.into().isPresent()) return options.into().get();
      return new DeviceTensor(this, product.storage(), product.type(), Shape.rowMajor(shape), 0, true);
    }
  }

  /** A·B of (M,K)·(K,N), or entry by entry of (L,M,K)·(L,K,N), where an operand without L is every entry's. */
  public DeviceTensor gemm(DeviceTensor a, DeviceTensor b) {
    return gemm(a, b, GemmOptions.of());
  }

  /** f(alpha · A·B + beta · C + bias); see {@link #gemm(DeviceTensor, DeviceTensor)}. */
  public DeviceTensor gemm(DeviceTensor a, DeviceTensor b, GemmOptions options) {
    return products.multiply(a, b, options);
  }

  /** softmax(Q·Kᵀ/√D)·V; see {@link #attention(DeviceTensor, DeviceTensor, DeviceTensor, AttentionOptions)}. */
  public DeviceTensor attention(DeviceTensor q, DeviceTensor k, DeviceTensor v) {
    return attention(q, k, v, AttentionOptions.of());
  }

  /**
   * softmax(scale · Q·Kᵀ)·V of Q (B,Sq,H,D), K (B,Sk,Hk,D) and V (B,Sk,Hk,Dv), of f16 or bf16: (B,Sq,H,Dv). Head h of
   * Q reads head h·Hk/H of K and V.
   */
  public DeviceTensor attention(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options) {
    return attention.apply(q, k, v, options);
  }

  /** Attention into a tensor (B,Sq,H,Dv) of any strides but along Dv, such as a part of a larger one. */
  public void attention(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options, DeviceTensor into) {
    attention.apply(q, k, v, options, into, Optional.empty());
  }

  /** Attention into a state, to merge with that on other keys; see {@link CacheOperators#merge(AttentionState)}. */
  public void attention(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionOptions options, AttentionState into) {
    attention.apply(q, k, v, options, into.output(), Optional.of(into.logarithms()));
  }

  /**
   * The gradients of attention by Q, K and V.
   *
   * @param forward the output, and the logarithms of the rows' sums; those of attention on more keys give the share of
   *     these keys in its gradients
   * @param gradient the gradient by the output, (B,Sq,H,Dv)
   * @param options those of the attention
   * @return tensors of the inputs' type, which the caller closes
   */
  public AttentionGradients attentionGradients(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionState forward,
      DeviceTensor gradient, AttentionOptions options) {
    return attention.gradients(q, k, v, forward, gradient, options);
  }

  /** The gradients of attention into tensors of the inputs' shapes, such as parts of larger ones. */
  public void attentionGradients(DeviceTensor q, DeviceTensor k, DeviceTensor v, AttentionState forward,
      DeviceTensor gradient, AttentionOptions options, AttentionGradients into) {
    attention.gradients(q, k, v, forward, gradient, options, into);
  }

  /** Attention on caches of keys and values, their filling, and merging. */
  public CacheOperators caches() {
    return caches;
  }

  /** X / √(mean of X² + epsilon) · W along the last mode; W (N) of X's type. */
  public DeviceTensor rmsNorm(DeviceTensor x, DeviceTensor w, float epsilon) {
    return rows.apply("rms_norm", x, Map.of("W", w), Map.of("epsilon", epsilon));
  }

  /** (X − mean) / √(variance + epsilon) · W + B along the last mode; W and B (N) of X's type. */
  public DeviceTensor layerNorm(DeviceTensor x, DeviceTensor w, DeviceTensor b, float epsilon) {
    return rows.apply("layer_norm", x, Map.of("W", w, "B", b), Map.of("epsilon", epsilon));
  }

  /** The softmax along the last mode. */
  public DeviceTensor softmax(DeviceTensor x) {
    return rows.apply("softmax", x, Map.of(), Map.of());
  }

  /**
   * Rotary position embedding of X (B,S,H,D): elements i and i + D/2 of a head are rotated by the angle i of their
   * position (the half-split convention, {@code rotate_half} of Hugging Face's Transformers).
   *
   * @param cos of angles, f32 (S,D/2) or (B,S,D/2), such as a slice of {@link #ropeTables}; likewise {@code sin}
   */
  public DeviceTensor rope(DeviceTensor x, DeviceTensor cos, DeviceTensor sin) {
    return rotary.apply(x, cos, sin);
  }

  /**
   * Rotary position embedding of X (B,S,H,D) with the angles position / base^(2i/D).
   *
   * @param positions one for each of S
   */
  public DeviceTensor rope(DeviceTensor x, int[] positions, double base) {
    if (x.rank() != 4 || x.size(1) != positions.length) {
      throw new IllegalArgumentException(x + " with " + positions.length + " positions: rope takes (B,S,H,D) and S");
    }
    try (var tables = RopeTables.of(this, positions, Math.toIntExact(x.size(3)), base)) {
      return rope(x, tables.cos(), tables.sin());
    }
  }

  /**
   * Returns the tables of {@link #rope(DeviceTensor, DeviceTensor, DeviceTensor)} for positions from 0 on.
   *
   * @param dim of a head, even
   * @param base such as 10000
   */
  public RopeTables ropeTables(int positions, int dim, double base) {
    var all = new int[positions];
    Arrays.setAll(all, i -> i);
    return RopeTables.of(this, all, dim, base);
  }

  /** The rows of a table (V,N) at i32 indices (…): (…,N); zeros where the table has no such row. */
  public DeviceTensor embedding(DeviceTensor table, DeviceTensor indices) {
    return rows.embedding(table, indices);
  }

  /**
   * The sums Σ_j weight(m,j) · row of the table (V,N) at index(m,j), such as the results of a token's experts: (M,N).
   *
   * @param indices i32 (M,J); one that the table does not have adds nothing
   * @param weights f32 (M,J)
   */
  public DeviceTensor weightedRows(DeviceTensor table, DeviceTensor indices, DeviceTensor weights) {
    return rows.weightedRows(table, indices, weights);
  }

  /** silu(gate) · up, element by element. */
  public DeviceTensor swiglu(DeviceTensor gate, DeviceTensor up) {
    return map(Pointwise.SWIGLU, gate, up);
  }

  /** A + B, element by element; shapes are aligned at the last mode, and extents of 1 are repeated. */
  public DeviceTensor add(DeviceTensor a, DeviceTensor b) {
    return map(Pointwise.ADD, a, b);
  }

  /** A + B into a tensor of the sum's shape, which may be A or B; see {@link #add(DeviceTensor, DeviceTensor)}. */
  public void add(DeviceTensor a, DeviceTensor b, DeviceTensor into) {
    maps.apply(Pointwise.ADD, List.of(a, b), into);
  }

  /**
   * A function of the elements at each place, rounded to the first tensor's type; see
   * {@link #add(DeviceTensor, DeviceTensor)}.
   */
  public DeviceTensor map(Pointwise function, DeviceTensor... inputs) {
    return maps.apply(function, List.of(inputs));
  }

  /** Quantises a matrix (M,K) of f32, f16 or bf16 to e4m3, with a factor for each 128 of k in a row or in 128 rows. */
  public QuantizedMatrix quantize(DeviceTensor x, QuantizedMatrix.Blocks blocks) {
    return quantizers.quantize(x, blocks);
  }

  /**
   * X·Wᵀ of what {@link #quantize} has made: X (M,K) with factors of rows, W (N,K) with factors of squares. The sums of
   * each 128 of k are scaled and added in FP32. Hopper and the simulator compute it.
   *
   * @param output bf16, f16 or f32
   */
  public DeviceTensor linear(QuantizedMatrix x, QuantizedMatrix w, ElementType output) {
    return quantizers.linear(x, w, output);
  }

  /** Returns the tensor in another type, rounded to nearest even. */
  public DeviceTensor convert(DeviceTensor x, ElementType type) {
    return maps.convert(x, type);
  }

  /** Returns a copy whose elements lie in order without gaps. */
  public DeviceTensor contiguous(DeviceTensor x) {
    return maps.convert(x, x.type());
  }

  /** Copies all elements into a tensor of the same shape and any strides, such as a part of a cache; converts them. */
  public void copy(DeviceTensor from, DeviceTensor into) {
    maps.copy(from, into);
  }

  /**
   * Waits for all operators so far.
   *
   * @throws tilewright.device.driver.GpuException when some of it failed on the GPU
   */
  public void synchronize() {
    memory.requireOpen();
    machine.synchronize();
  }

  /** Calls that were captured. */
  public interface Captured extends AutoCloseable {
    /**
     * Enqueues what the calls did, in the same memory.
     *
     * @throws IllegalStateException after closing this, or the operators
     */
    void replay();

    /** Gives back memory that only this has kept. Closing again does nothing. */
    @Override
    void close();
  }

  /**
   * Runs calls, and captures them once more, to replay them with one call: on a GPU as a graph, which costs the host
   * as much as one launch. The first run prepares what a capture cannot, such as kernels. Only the calling thread uses
   * these operators meanwhile, and the calls write, read and wait for no tensor from the host.
   *
   * <p>Replays use the memory of the captured calls, which serves nothing else before the captured calls are closed,
   * though its tensors may be closed. A tensor that the calls make and keep open has its numbers after a replay.
   *
   * @throws IllegalStateException where calls do what cannot be captured, or differ from those of the first run
   */
  public Captured capture(Runnable calls) {
    if (isCapturing()) throw new IllegalStateException("captures do not nest");
    calls.run();
    return machine.capture(calls);
  }

  /** Whether calls are being captured, so that nothing runs before a replay. */
  public boolean isCapturing() {
    return machine.isCapturing();
  }

  /**
   * Does what enqueues work on the {@link #stream()}, such as another library's transfers. In the simulator, which has
   * none, captured work is done at each replay.
   */
  public void enqueue(Runnable work) {
    memory.requireOpen();
    machine.enqueue(work);
  }

  /** The stream of a GPU that operators are enqueued on, for other libraries to order their work with. */
  public Optional<Stream> stream() {
    return machine.stream();
  }

  /**
   * Runs a check before each wait for a GPU's results, such as a communicator's: it throws where they would be void or
   * never come.
   *
   * @return ends this
   */
  public Runnable beforeWaits(Runnable check) {
    return machine.beforeWaits(check);
  }

  /** Whether this computes on a GPU. */
  public boolean isGpu() {
    return machine instanceof GpuMachine;
  }

  /** Waits for all operators so far, and gives back all memory. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (!memory.close()) return;
    machine.close();
  }

  /** The machine: {@code the simulator}, or the GPU's name. */
  @Override
  public String toString() {
    return machine.toString();
  }

  TensorMemory memory() {
    return memory;
  }

  Family family(String name) {
    return registry.family(name).orElseThrow(() -> new IllegalStateException("the catalogue has no " + name));
  }

  void run(Object problem, Supplier<Plan> prepare, Map<String, Storage.Place> places) {
    var plan = plans.get(problem, () -> machine.load(CompiledKernel.sharingTraces(traces, prepare)));
    machine.enqueue(() -> plan.run(places));
  }

  /** Computes a new tensor, whose memory is given back where that fails. */
  DeviceTensor computed(DeviceTensor result, Runnable compute) {
    try {
      compute.run();
      return result;
    } catch (RuntimeException e) {
      result.close();
      throw e;
    }
  }

  void requireOwn(DeviceTensor tensor) {
    memory.requireOpen();
    if (tensor.ops() != this) {
      throw new IllegalArgumentException(tensor + " belongs to other operators (" + tensor.ops() + ") than these ("
          + this + "): copy its floats, or use one Ops");
    }
    if (tensor.isClosed()) throw new IllegalStateException(tensor + " is closed");
  }
}
