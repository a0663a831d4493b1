package tilewright.kernel;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Instruction;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;

/**
 * The kernel language while a kernel is traced: its place in the grid, its parameters and memory, control flow, and for
 * atoms {@link #emit}, which writes one instruction. The parts of a trace do the work: {@link Declarations},
 * {@link SharedMemory}, {@link ControlFlow} and {@link Values}.
 */
public final class Scope {
  /** The most blocks in y and in z (CUDA C++ Programming Guide, Compute Capabilities). */
  private static final int MOST_BLOCKS_YZ = 65535;
  private static final List<String> BLOCK = List.of("%ctaid.x", "%ctaid.y", "%ctaid.z");

  private final Region root = new Region(null, false);
  private final Values values = new Values(this);
  private final ControlFlow flow = new ControlFlow(this);
  private final SharedMemory shared = new SharedMemory(this);
  private final Declarations declarations = new Declarations();
  private Target target;
  private Region region = root;
  private boolean clamping;
  private Optional<Noted> noted = Optional.empty();
  private Optional<Neighbour> neighbour = Optional.empty();
  private Set<String> pairs = Set.of();

  Scope(Target target) {
    this.target = target;
  }

  /** Traces instructions that no kernel gets, and returns what {@code body} finds in doing so. */
  public static <T> T trial(Target target, Function<Scope, T> body) {
    return body.apply(new Scope(target));
  }

  public Target target() {
    return target;
  }

  /** Requires a PTX ISA version that an instruction needs, such as 8.1. */
  public void needsPtx(String version) {
    target = target.atLeast(version);
  }

  // Place in the grid

  /** Declares the block's size in threads, and returns this thread's index in it. */
  public I32 block(int threads) {
    declarations.block(threads);
    return special("%tid.x", threads - 1);
  }

  /** Limits registers so that at least {@code blocks} blocks fit on an SM ({@code .minnctapersm}). */
  public void blocksPerMultiprocessor(int blocks) {
    declarations.resident(blocks);
  }

  /** Declares clusters of {@code blocks} neighbours in x (SM90), and returns this block's rank in its cluster. */
  public I32 cluster(int blocks) {
    declarations.cluster(blocks);
    return blocks == 1 ? constant(0) : special("%cluster_ctarank", blocks - 1);
  }

  /** Requires a feature of every launch. */
  public void launchedWith(LaunchFeature feature) {
    declarations.feature(feature);
  }

  /** Declares that this kernel may read a tensor before earlier kernels of the stream have ended. */
  public void readsAhead(String tensor) {
    declarations.ahead(tensor);
  }

  /** The block's index in x. */
  public I32 blockX() {
    return special(BLOCK.get(0), Integer.MAX_VALUE);
  }

  /** The number of blocks in x. */
  public I32 gridX() {
    return special("%nctaid.x", Integer.MAX_VALUE);
  }

  /** The block's index in y. */
  public I32 blockY() {
    return special(BLOCK.get(1), MOST_BLOCKS_YZ);
  }

  /** The block's index in z. */
  public I32 blockZ() {
    return special(BLOCK.get(2), MOST_BLOCKS_YZ);
  }

  private I32 special(String name, long max) {
    return new I32(this, Linear.of(pure(PtxType.B32, root, 0, max, Bits.upTo(max), index(name))));
  }

  private static Node.Recipe index(String name) {
    return new Node.Recipe("mov.u32", List.of(new Node.Argument.Constant(new Operand.Special(name))));
  }

  public I32 constant(int value) {
    return new I32(this, Linear.of(value));
  }

  public F32 constant(float value) {
    var recipe = new Node.Recipe("mov.f32", List.of(new Node.Argument.Constant(Operand.Float.of(value))));
    return new F32(this, pure(PtxType.F32, root, 0, 0, -1, recipe));
  }

  // Parameters and memory

  /** Declares a tensor in global memory: a pointer, and extents and strides that the launch gives. */
  public GlobalTensor global(TensorSpec spec) {
    return GlobalTensor.declare(this, pairs.contains(spec.name()) ? spec.aligned(2) : spec);
  }

  /** Declares a tensor in global memory that copies reach through a tensor map (SM90). */
  public MappedTensor mapped(TensorMapSpec spec) {
    return MappedTensor.declare(this, spec);
  }

  /** Declares an extent, and returns it: a constant where the tensor fixes it. */
  I32 extent(TensorSpec.Mode mode) {
    parameter(new KernelParameter.Extent(mode.name()));
    var known = mode.extent().or(() -> declarations.known(mode.name()));
    if (known.isPresent()) return constant(known.get());
    long bits = Bits.upTo(GlobalTensor.MAX_EXTENT) & -Integer.lowestOneBit(mode.multiple());
    return new I32(this, Linear.of(load(PtxType.S32, mode.name(), 0, GlobalTensor.MAX_EXTENT, bits)));
  }

  /** Declares an integer parameter, in 0…2³⁰: a constant where this trace knows it. */
  I32 integer(String name) {
    parameter(new KernelParameter.Scalar(name, PtxType.S32));
    return declarations.known(name).map(this::constant)
        .orElseGet(() -> new I32(this, Linear.of(load(PtxType.S32, name, 0, GlobalTensor.MAX_EXTENT, -1))));
  }

  /** Traces a body in which {@linkplain GlobalTensor#constant constants} outside a tensor are those at its last. */
  public <T> T clamping(Supplier<T> body) {
    boolean before = clamping;
    clamping = true;
    var result = body.get();
    clamping = before;
    return result;
  }

  /**
   * Traces a body for an index whose neighbour the thread visits too: numbers at the index plus something even, in a
   * tensor that is aligned to pairs, {@link GlobalTensor#constant} reads in one access with those beside them.
   *
   * @param odd whether the neighbour comes before the index, and not behind it
   */
  public <T> T besideNeighbour(I32 index, boolean odd, Supplier<T> body) {
    var before = neighbour;
    neighbour = Optional.of(new Neighbour(index.value, odd));
    var result = body.get();
    neighbour = before;
    return result;
  }

  /** An index whose neighbour is visited, too; see {@link #besideNeighbour}. */
  record Neighbour(Linear index, boolean odd) {
    /** Whether a coordinate is the index plus something even that does not depend on it. */
    boolean moves(Linear coordinate) {
      var rest = coordinate.minus(index);
      var atoms = index.terms().stream().map(Linear.Term::atom).toList();
      return rest.isEven() && rest.terms().stream().noneMatch(term -> term.atom().dependsOn(atoms));
    }
  }

  Optional<Neighbour> neighbour() {
    return neighbour;
  }

  /** Traces a body, and gives the numbers that it reads of some tensors by {@link GlobalTensor#constant}. */
  public <T> T noting(Set<String> tensors, List<GlobalTensor.Read> reads, Supplier<T> body) {
    noted = Optional.of(new Noted(tensors, reads));
    var result = body.get();
    noted = Optional.empty();
    return result;
  }

  private record Noted(Set<String> tensors, List<GlobalTensor.Read> reads) {}

  F32 noted(GlobalTensor tensor, I32[] coordinate, F32 value) {
    if (noted.filter(n -> n.tensors.contains(tensor.spec().name())).isEmpty()) return value;
    var read = new GlobalTensor.Read(tensor.spec(), List.of(coordinate), value.settled());
    var reads = noted.get().reads;
    // An element that is read twice is one value.
    var before = reads.stream().filter(read::isOf).findFirst();
    if (before.isEmpty()) reads.add(read);
    return before.orElse(read).value();
  }

  boolean isClamping() {
    return clamping;
  }

  /** Declares tensors whose pointers and strides the launch aligns to two elements, where the contiguous one is one. */
  public void alignedToPairs(Set<String> tensors) {
    pairs = Set.copyOf(tensors);
  }

  /** Makes an extent or an integer parameter a constant of this trace, for what a launch with it does. */
  public void know(String name, int value) {
    declarations.know(name, value);
  }

  /** Declares an FP32 parameter. */
  public F32 scalar(String name) {
    parameter(new KernelParameter.Scalar(name, PtxType.F32));
    return new F32(this, load(PtxType.F32, name, 0, 0, -1));
  }

  /** Allocates shared memory for a tensor; offsets of the layout count elements. */
  public SharedTensor shared(ElementType type, OffsetMap layout) {
    return shared.tensor(type, layout);
  }

  /** Like {@link #shared(ElementType, OffsetMap)}, with a name by which reports call the tensor. */
  public SharedTensor shared(String name, ElementType type, OffsetMap layout) {
    return shared.tensor(name, type, layout);
  }

  /** Allocates bytes of shared memory that are no tensor, such as mbarriers, and returns their address. */
  public I32 sharedBytes(int bytes) {
    return new I32(this, shared.raw(bytes));
  }

  /** The operand for a shared-memory address in bytes. */
  public Operand.Address address(I32 bytes) {
    // What no register adds is the instruction's immediate, so neighbours share a register.
    return new Operand.Address(values.sum(bytes.value.withoutConstant()).register(this), bytes.value.constant());
  }

  /** A register with the L2 cache policy for an eviction priority. */
  Operand.Register reads(Eviction eviction) {
    var whole = new Node.Argument.Constant(Operand.Float.of(1f));
    return pure(PtxType.B64, root, 0, 0, -1,
        new Node.Recipe("createpolicy.fractional.L2::" + eviction.text() + ".b64", List.of(whole))).register(this);
  }

  /** Records the thread–value layout of a tile. */
  void partitioned(Partition partition) {
    declarations.partition(partition);
  }

  /** Records that a mode is taken in tiles by the block's index, if the position is that index. */
  void tiled(I32 position, String extent, int tile) {
    if (!position.value.isAtom()) return;
    var recipe = position.value.terms().getFirst().atom().recipe;
    for (int axis = 0; axis < BLOCK.size(); axis++) {
      if (index(BLOCK.get(axis)).equals(recipe)) declarations.tiling(new CompiledKernel.Tiling(axis, extent, tile));
    }
  }

  void parameter(KernelParameter parameter) {
    declarations.parameter(parameter);
  }

  Node load(PtxType type, String parameter, long min, long max, long ones) {
    var address = new Operand.Address(new Operand.Symbol(parameter), 0);
    var recipe = new Node.Recipe("ld.param." + type.text(), List.of(new Node.Argument.Constant(address)));
    return pure(type, root, min, max, ones, recipe);
  }

  /** An FP32 variable, 0 at first. */
  public F32.Accumulator accumulator() {
    return accumulator(0);
  }

  /** An FP32 variable with an initial value, such as that of a maximum. */
  public F32.Accumulator accumulator(float initial) {
    return new F32.Accumulator(this, initial);
  }

  /** An integer variable, set to {@code initial}; its values stay in 0…{@code max}. */
  public I32.Variable variable(I32 initial, int max) {
    return new I32.Variable(this, initial, max);
  }

  // Control flow

  /** Runs the body for {@code i} from {@code from} to before {@code to}, in steps. */
  public void loop(I32 from, I32 to, int step, Consumer<I32> body) {
    loop(from, to, constant(step), body);
  }

  /** Runs the body for {@code i} from {@code from} to before {@code to}, in positive steps. */
  public void loop(I32 from, I32 to, I32 step, Consumer<I32> body) {
    flow.loop(from, to, step, body);
  }

  /** Runs the body for {@code i} from 0 to before {@code to}, in steps, in a loop that no assembler unrolls. */
  public void rolledLoop(int to, int step, Consumer<I32> body) {
    flow.rolledLoop(constant(to), constant(step), body);
  }

  /** Repeats the body until the predicate that it returns holds. */
  public void repeatUntil(Supplier<Pred> attempt) {
    flow.repeatUntil(attempt);
  }

  /** Runs the body for {@code i} from 0 to before {@code to}. */
  public void loop(I32 to, Consumer<I32> body) {
    loop(constant(0), to, 1, body);
  }

  /** Runs {@code then} where the predicate holds. */
  public void when(Pred condition, Runnable then) {
    when(condition, then, () -> {});
  }

  /** Runs {@code then} where the predicate holds, {@code otherwise} where it does not. */
  public void when(Pred condition, Runnable then, Runnable otherwise) {
    flow.when(condition, then, otherwise);
  }

  /** A value that {@link #printf} takes. */
  public sealed interface Printable permits I32, F32 {}

  /**
   * Prints a text for each thread that comes here, with values in the place of {@code %d}, {@code %x}, {@code %f},
   * {@code %g} and so on, as C does. The simulator gives the text to whoever runs the launch, block after block; the
   * driver writes it to standard output. A line ends with {@code \n}.
   *
   * @throws TraceException if the values are not those that the format names
   */
  public void printf(String format, Printable... values) {
    flow.printf(format, List.of(values));
  }

  /** Ends the kernel for the threads for which the predicate holds; where barriers follow, for all of a block. */
  public void leave(Pred condition) {
    emit(Optional.of(condition), "exit");
  }

  /** Stops the launch with an error where the predicate holds: on what no result can be computed from. */
  public void trap(Pred condition) {
    emit(Optional.of(condition), "trap");
  }

  /** Synchronises all threads of the block, and orders their memory accesses. */
  public void barrier() {
    emit("bar.sync", new Operand.Integer(0));
  }

  /** Synchronises the lanes of the warp, and orders their memory accesses. */
  public void warpBarrier() {
    emit("bar.warp.sync", new Operand.Integer(-1));
  }

  /** Waits at a named barrier, 1 to 15, for a number of threads in whole warps. */
  public void barrier(I32 name, int threads) {
    emit("bar.sync", name.operand(), new Operand.Integer(threads));
  }

  /** Arrives at a named barrier without waiting; {@code threads} counts those that wait and those that arrive. */
  public void arrive(I32 name, int threads) {
    emit("bar.arrive", name.operand(), new Operand.Integer(threads));
  }

  // What atoms are made of

  /**
   * Has this branch or loop compute anew what the launch's arguments alone decide, such as strides in bytes. Other
   * branches have registers of their own for it, so that none lives from the kernel's begin on: where branches are the
   * roles of warps, ptxas spills such registers ahead of them.
   */
  public void computeLaunchValuesAnew() {
    region.computeAnew();
  }

  /** Registers a check for the end of the trace, such as that everything allocated has been freed. */
  public void atEnd(Runnable check) {
    declarations.check(check);
  }

  /** A fresh register. */
  public Operand.Register newRegister(PtxType type) {
    return declarations.registers().next(type);
  }

  /** A fresh 8-bit register, which few instructions take; other bytes are in 16-bit registers. */
  public Operand.Register newByteRegister() {
    return declarations.registers().inBank(PtxType.B8);
  }

  /** Emits an instruction, guarded by the predicate if there is one. */
  public void emit(Optional<Pred> condition, String name, Operand... operands) {
    var instruction = Instruction.of(name, operands);
    if (condition.isPresent() && condition.get().known().isPresent()) {
      if (condition.get().known().get()) region.append(location(), instruction);
      return;
    }
    var guard = condition.flatMap(p -> p.guard(false));
    region.append(location(), guard.map(instruction::guardedBy).orElse(instruction));
  }

  /** Emits an instruction. */
  public void emit(String name, Operand... operands) {
    emit(Optional.empty(), name, operands);
  }

  /** The predicate that an emitted instruction left in a register. */
  public Pred predicate(Operand.Register register) {
    return Pred.of(this, values.held(PtxType.PRED, region, 0, 1, 1, register));
  }

  /** The FP32 value that an emitted instruction left in a register. */
  public F32 result(Operand.Register register) {
    return new F32(this, values.held(PtxType.F32, region, 0, 0, -1, register));
  }

  /** The integer in 0…{@code max} that an emitted instruction left in a register. */
  public I32 result(Operand.Register register, long max) {
    return result(register, 0, max);
  }

  /** The integer in {@code min}…{@code max} that an emitted instruction left in a register. */
  public I32 result(Operand.Register register, long min, long max) {
    return new I32(this, Linear.of(values.held(PtxType.B32, region, min, max, Bits.upTo(max), register)));
  }

  // What the parts of a trace share

  Region root() {
    return root;
  }

  Region region() {
    return region;
  }

  /** Traces a body into a region, and closes that. */
  void inside(Region inner, Runnable body) {
    var outer = region;
    region = inner;
    body.run();
    region = outer;
    inner.close();
  }

  Statement.Location location() {
    return declarations.lines().present();
  }

  Declarations.Printing printing() {
    return declarations.printing();
  }

  Values values() {
    return values;
  }

  /** A value that is computed once, in the region of its operands, when something first needs it. */
  Node pure(PtxType type, Region home, long min, long max, long ones, Node.Recipe recipe) {
    return values.pure(type, home, min, max, ones, recipe);
  }

  /** A value that is computed in this region when something first needs it, and anew each time that it is asked for. */
  Node deferred(PtxType type, String instruction, Node.Argument... arguments) {
    return values.deferred(type, new Node.Recipe(instruction, List.of(arguments)));
  }

  Operand materialize(Linear x) {
    return materialize(x, region);
  }

  Operand materialize(Linear x, Region in) {
    return x.isConstant() ? new Operand.Integer(x.constant()) : values.sum(x).register(this, in);
  }

  Node constantPredicate(boolean value) {
    var recipe = new Node.Recipe("setp.ne.u32", List.of(Arithmetic.immediate(value ? 1 : 0), Arithmetic.immediate(0)));
    return pure(PtxType.PRED, root, 0, 1, 1, recipe);
  }

  CompiledKernel finish(String name) {
    declarations.check(name);
    root.append(null, Instruction.of("ret"));
    return declarations.kernel(name, target, root.body(), shared);
  }
}
