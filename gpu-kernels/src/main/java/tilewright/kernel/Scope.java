package tilewright.kernel;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Function;
import tilewright.ptx.Instruction;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.Linkage;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.Statement;
import tilewright.ptx.Variable;

/**
 * What a kernel sees while it is traced: its parameters, its place in the grid, control flow, memory, and at the bottom
 * {@link #emit}, with which atoms write one instruction.
 */
public final class Scope {
  static final String DYNAMIC_SHARED = "smem";
  /** Tensors begin at a multiple of the longest swizzle period, so that offsets and addresses swizzle alike. */
  private static final int SHARED_ALIGNMENT = 1024;
  private static final int RAW_ALIGNMENT = 128;
  private static final int CLUSTER_SHIFT = 24;

  private Target target;
  private final Region root = new Region(null, false);
  private final Map<String, KernelParameter> parameters = new LinkedHashMap<>();
  private final Map<String, Integer> files = new LinkedHashMap<>();
  private final Map<PtxType, Integer> registers = new EnumMap<>(PtxType.class);
  private final Map<Node, CellRead> cellReads = new IdentityHashMap<>();
  private final Map<Node, Induction> inductions = new IdentityHashMap<>();
  private Region region = root;
  private Optional<Integer> block = Optional.empty();
  private Optional<Integer> resident = Optional.empty();
  private int cluster = 1;
  private final Set<LaunchFeature> features = EnumSet.noneOf(LaunchFeature.class);
  private final Set<String> ahead = new HashSet<>();
  private int sharedBytes;
  private final List<Runnable> checks = new ArrayList<>();
  private final List<CompiledKernel.SharedPart> sharedTensors = new ArrayList<>();
  private final Map<String, Partition> partitions = new LinkedHashMap<>();
  private int nodes;
  private int labels;

  private record CellRead(Cell cell, int version) {}

  /** A loop's variable: where it starts and how it steps. */
  record Induction(Linear from, int step, Region loop) {}

  private record Key(Node.Recipe recipe, PtxType type) {}

  Scope(Target target) {
    this.target = target;
  }

  public Target target() {
    return target;
  }

  /** Asks for a PTX ISA version that an instruction needs, such as 8.1. */
  public void needsPtx(String version) {
    target = target.atLeast(version);
  }

  // Place in the grid

  /** Declares the block's size in threads and gives this thread's index in it. */
  public I32 block(int threads) {
    if (threads < 1 || threads > 1024) throw new TraceException("invalid block of " + threads + " threads: 1 to 1024");
    block = Optional.of(threads);
    return special("%tid.x", threads - 1);
  }

  /** Asks for registers so few that so many blocks fit on a multiprocessor. */
  public void blocksPerMultiprocessor(int blocks) {
    resident = Optional.of(blocks);
  }

  /** Declares that so many blocks, neighbours in x, run as a cluster (SM90), and gives this block's rank in it. */
  public I32 cluster(int blocks) {
    if (blocks < 1 || blocks > 8) throw new TraceException("invalid cluster of " + blocks + " blocks: 1 to 8");
    cluster = blocks;
    return blocks == 1 ? constant(0) : special("%cluster_ctarank", blocks - 1);
  }

  /** Asks that every launch has a feature. */
  public void launchedWith(LaunchFeature feature) {
    features.add(feature);
  }

  /** Asks that no earlier kernel of the stream writes a tensor, as this one may read it before those have ended. */
  public void readsAhead(String tensor) {
    ahead.add(tensor);
  }

  public I32 blockX() {
    return special("%ctaid.x", Integer.MAX_VALUE);
  }

  /** Blocks of the grid in x. */
  public I32 gridX() {
    return special("%nctaid.x", Integer.MAX_VALUE);
  }

  public I32 blockY() {
    return special("%ctaid.y", 65535);
  }

  public I32 blockZ() {
    return special("%ctaid.z", 65535);
  }

  private I32 special(String name, long max) {
    var recipe = new Node.Recipe("mov.u32", List.of(new Node.Argument.Constant(new Operand.Special(name))));
    return new I32(this, Linear.of(pure(PtxType.B32, root, 0, max, Bits.upTo(max), recipe)));
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
    return GlobalTensor.declare(this, spec);
  }

  /** Declares a tensor in global memory that copies reach through a tensor map (SM90). */
  public MappedTensor mapped(TensorMapSpec spec) {
    return MappedTensor.declare(this, spec);
  }

  /** An extent, which the launch gives and, where the tensor fixes it, can only be one. */
  I32 extent(TensorSpec tensor, String mode) {
    var extent = new KernelParameter.Extent(mode);
    parameter(extent);
    if (tensor.fixed().containsKey(mode)) return constant(tensor.fixed().get(mode));
    long bits = Bits.upTo(GlobalTensor.MAX_EXTENT) & -Integer.lowestOneBit(tensor.multiple(mode));
    return new I32(this, Linear.of(load(PtxType.S32, mode, 0, GlobalTensor.MAX_EXTENT, bits)));
  }

  /** Declares a single-precision kernel parameter. */
  public F32 scalar(String name) {
    parameter(new KernelParameter.Scalar(name, PtxType.F32));
    return new F32(this, load(PtxType.F32, name, 0, 0, -1));
  }

  /** Sets aside shared memory for a tensor of that type and layout; offsets of the layout count elements. */
  public SharedTensor shared(ElementType type, OffsetMap layout) {
    var place = reserve(SharedTensor.bytes(type, layout), SHARED_ALIGNMENT);
    int offset = Math.toIntExact(place.constant());
    sharedTensors.add(new CompiledKernel.SharedPart(offset, type, layout));
    return new SharedTensor(this, type, layout, place);
  }

  /** Sets aside bytes of shared memory that are no tensor, such as mbarriers, and gives where they begin. */
  public I32 sharedBytes(int bytes) {
    return new I32(this, reserve(bytes, RAW_ALIGNMENT));
  }

  /** The operand for a shared-memory address in bytes. */
  public Operand.Address address(I32 bytes) {
    // What no register adds is the instruction's immediate, so neighbours share a register.
    return new Operand.Address(sum(bytes.value.withoutConstant()).register(this), bytes.value.constant());
  }

  /** The policy of reads whose lines L2 gives up so. */
  Operand.Register reads(Eviction eviction) {
    var whole = new Node.Argument.Constant(Operand.Float.of(1f));
    return pure(PtxType.B64, root, 0, 0, -1,
        new Node.Recipe("createpolicy.fractional.L2::" + eviction.text() + ".b64", List.of(whole))).register(this);
  }

  private Linear reserve(long bytes, int alignment) {
    int offset = Math.ceilDiv(sharedBytes, alignment) * alignment;
    sharedBytes = Math.toIntExact(offset + bytes);
    return Linear.of(sharedBase()).plus(offset);
  }

  private Node sharedBase() {
    var recipe = new Node.Recipe("mov.u32", List.of(new Node.Argument.Constant(new Operand.Symbol(DYNAMIC_SHARED))));
    // In a cluster the address says which block's memory it is, above the place in that memory.
    long max = (8L << CLUSTER_SHIFT) - SHARED_ALIGNMENT;
    return pure(PtxType.B32, root, 0, max, Bits.upTo(max) & -SHARED_ALIGNMENT, recipe);
  }

  /** Notes how the threads share a tile. */
  void partitioned(Partition partition) {
    partitions.putIfAbsent(partition.toString(), partition);
  }

  void parameter(KernelParameter parameter) {
    var known = parameters.putIfAbsent(parameter.name(), parameter);
    if (known != null && !known.equals(parameter)) {
      throw new TraceException("'" + parameter.name() + "' is declared twice, and not alike: " + known + " and "
          + parameter);
    }
  }

  Node load(PtxType type, String parameter, long min, long max, long ones) {
    var address = new Operand.Address(new Operand.Symbol(parameter), 0);
    var recipe = new Node.Recipe("ld.param." + type.text(), List.of(new Node.Argument.Constant(address)));
    return pure(type, root, min, max, ones, recipe);
  }

  /** A running sum, zero at first. */
  public F32.Accumulator accumulator() {
    return accumulator(0);
  }

  /** A value that changes, such as a maximum, with what it is at first. */
  public F32.Accumulator accumulator(float initial) {
    return new F32.Accumulator(this, initial);
  }

  /** An integer variable, set to {@code initial}; its values stay in 0…{@code max}. */
  public I32Variable variable(I32 initial, int max) {
    return new I32Variable(this, initial, max);
  }

  // Control flow

  /** For {@code i} from {@code from} in steps while it is below {@code to}. */
  public void loop(I32 from, I32 to, int step, Consumer<I32> body) {
    loop(from, to, constant(step), body);
  }

  /** For {@code i} from {@code from} in positive steps while it is below {@code to}. */
  public void loop(I32 from, I32 to, I32 step, Consumer<I32> body) {
    var outer = region;
    var inner = new Region(outer, true);
    var counter = newRegister(PtxType.B32);
    long last = Math.max(from.value.min(), to.value.max() - 1);
    // Every value is the first plus steps, so their common power of two divides it.
    long unit = Long.lowestOneBit(from.value.ones() | step.value.ones());
    long ones = Bits.upTo(last) & -unit;
    var i = new Node(nodes++, PtxType.B32, inner, from.value.min(), last, ones, null, counter, null);
    if (step.value.isConstant()) {
      inductions.put(i, new Induction(from.value, Math.toIntExact(step.value.constant()), inner));
    }
    region = inner;
    body.accept(new I32(this, Linear.of(i)));
    region = outer;
    inner.close();

    var limit = to.operand();
    var stride = step.operand();
    var notEmpty = from.lessThan(to);
    var begin = label("loop");
    var end = label("done");
    emit(Optional.empty(), "mov.b32", counter, from.operand());
    if (!notEmpty.known().orElse(false)) branch(end, notEmpty.register(), true);
    outer.append(null, new Statement.Label(begin));
    outer.appendAll(inner.body());
    inner.increments().forEach(increment -> outer.append(null, increment));
    var again = newRegister(PtxType.PRED);
    emit(Optional.empty(), "add.s32", counter, counter, stride);
    emit(Optional.empty(), "setp.lt.s32", again, counter, limit);
    branch(begin, again, false);
    outer.append(null, new Statement.Label(end));
  }

  /** Tries again until the predicate holds. */
  public void repeatUntil(Supplier<Pred> attempt) {
    var outer = region;
    var inner = new Region(outer, true);
    var begin = label("again");
    region = inner;
    var done = attempt.get().register();
    region = outer;
    inner.close();
    outer.append(null, new Statement.Label(begin));
    outer.appendAll(inner.body());
    branch(begin, done, true);
  }

  /** For {@code i} from 0 while it is below {@code to}. */
  public void loop(I32 to, Consumer<I32> body) {
    loop(constant(0), to, 1, body);
  }

  /** Does {@code then} where the predicate holds. */
  public void when(Pred condition, Runnable then) {
    when(condition, then, () -> {});
  }

  /** Does one or the other. */
  public void when(Pred condition, Runnable then, Runnable otherwise) {
    if (condition.known().isPresent()) {
      (condition.known().get() ? then : otherwise).run();
      return;
    }
    var yes = traced(then);
    var no = traced(otherwise);
    var p = condition.register();
    if (isShort(yes) && no.isEmpty()) {
      var guard = new Instruction.Guard(p.name(), false);
      region.appendAll(yes.stream().map(s -> s instanceof Instruction i ? i.guardedBy(guard) : s).toList());
      return;
    }
    var end = label("endif");
    var elseLabel = no.isEmpty() ? end : label("else");
    branch(elseLabel, p, true);
    region.appendAll(yes);
    if (!no.isEmpty()) {
      emit(Optional.empty(), "bra", new Operand.Symbol(end));
      region.append(null, new Statement.Label(elseLabel));
      region.appendAll(no);
    }
    region.append(null, new Statement.Label(end));
  }

  /** Ends the kernel for threads for which it holds; where barriers follow, those of a block leave all together. */
  public void leave(Pred condition) {
    emit(Optional.of(condition), "exit");
  }

  private List<Statement> traced(Runnable body) {
    var outer = region;
    var inner = new Region(outer, false);
    region = inner;
    body.run();
    region = outer;
    inner.close();
    return inner.body();
  }

  /** Whether a guard on every instruction is shorter than a branch around them. */
  private static boolean isShort(List<Statement> body) {
    return body.size() <= 12 && body.stream().allMatch(s -> s instanceof Statement.Location
        || s instanceof Instruction i && i.guard().isEmpty() && !i.opcode().equals("bar"));
  }

  private void branch(String label, Operand.Register predicate, boolean negated) {
    region.append(null, Instruction.of("bra", new Operand.Symbol(label))
        .guardedBy(new Instruction.Guard(predicate.name(), negated)));
  }

  private String label(String stem) {
    return "$" + stem + labels++;
  }

  /** Waits for all threads of the block; orders their shared-memory accesses. */
  public void barrier() {
    emit("bar.sync", new Operand.Integer(0));
  }

  /** Waits for the lanes of the warp; orders their memory accesses. */
  public void warpBarrier() {
    emit("bar.warp.sync", new Operand.Integer(-1));
  }

  /** Waits for so many threads of the block, whole warps, that name this barrier: 1 to 15. */
  public void barrier(I32 name, int threads) {
    emit("bar.sync", name.operand(), new Operand.Integer(threads));
  }

  /** Arrives at a barrier that so many threads take part in, those who wait and those who only arrive. */
  public void arrive(I32 name, int threads) {
    emit("bar.arrive", name.operand(), new Operand.Integer(threads));
  }

  // What atoms are made of

  /** A check that is done when the kernel has been traced, such as whether what was allocated has been given back. */
  public void atEnd(Runnable check) {
    checks.add(check);
  }

  /** A fresh register. */
  public Operand.Register newRegister(PtxType type) {
    return inBank(bank(type));
  }

  /** A fresh register of eight bits, which few instructions take; bytes are in registers of 16 otherwise. */
  public Operand.Register newByteRegister() {
    return inBank(PtxType.B8);
  }

  private Operand.Register inBank(PtxType bank) {
    int index = registers.merge(bank, 1, Integer::sum) - 1;
    return new Operand.Register(prefix(bank) + index);
  }

  /** Writes one instruction here, guarded by the predicate if there is one. */
  public void emit(Optional<Pred> condition, String name, Operand... operands) {
    var instruction = Instruction.of(name, operands);
    if (condition.isPresent() && condition.get().known().isPresent()) {
      if (condition.get().known().get()) region.append(location(), instruction);
      return;
    }
    var guard = condition.flatMap(p -> p.guard(false));
    region.append(location(), guard.map(instruction::guardedBy).orElse(instruction));
  }

  /** Writes one instruction here. */
  public void emit(String name, Operand... operands) {
    emit(Optional.empty(), name, operands);
  }

  /** A truth value that an emitted instruction left in a register. */
  public Pred predicate(Operand.Register register) {
    return Pred.of(this, new Node(nodes++, PtxType.PRED, region, 0, 1, 1, null, register, null));
  }

  /** A single-precision value that an emitted instruction left in a register. */
  public F32 result(Operand.Register register) {
    return new F32(this, new Node(nodes++, PtxType.F32, region, 0, 0, -1, null, register, null));
  }

  /** An integer that an emitted instruction left in a register, known to lie in 0…{@code max}. */
  public I32 result(Operand.Register register, long max) {
    return result(register, 0, max);
  }

  /** An integer that an emitted instruction left in a register, known to lie in {@code min}…{@code max}. */
  public I32 result(Operand.Register register, long min, long max) {
    return new I32(this, Linear.of(new Node(nodes++, PtxType.B32, region, min, max, Bits.upTo(max), null, register,
        null)));
  }

  // Values

  Region root() {
    return root;
  }

  Region region() {
    return region;
  }

  Optional<Induction> induction(Node node) {
    return Optional.ofNullable(inductions.get(node));
  }

  Node pure(PtxType type, Region home, long min, long max, long ones, Node.Recipe recipe) {
    return home.values().computeIfAbsent(new Key(recipe, type),
        _ -> new Node(nodes++, type, home, min, max, ones, recipe, null, location()));
  }

  /** A value that is computed in this region when something first needs it, and anew each time that it is asked for. */
  Node deferred(PtxType type, String instruction, Node.Argument... arguments) {
    var recipe = new Node.Recipe(instruction, List.of(arguments));
    return new Node(nodes++, type, region, 0, 0, -1, recipe, null, location());
  }

  Node cellValue(Cell cell, PtxType type, long min, long max, long ones) {
    var node = new Node(nodes++, type, region, min, max, ones, null, cell.register, null);
    cellReads.put(node, new CellRead(cell, cell.version()));
    return node;
  }

  /** A pointer that a loop advances. */
  Node pointerNode(Region loop, Operand.Register register) {
    return new Node(nodes++, PtxType.U64, loop, 0, 0, -1, null, register, null);
  }

  void requireLive(Node node) {
    if (!node.home.isOpen()) throw new TraceException("a value is used outside the loop or branch that computes it");
    var read = cellReads.get(node);
    if (read != null && read.version() != read.cell().version()) {
      throw new TraceException("a variable's value is used after the variable changed: read it again");
    }
  }

  Operand materialize(Linear x) {
    return x.isConstant() ? new Operand.Integer(x.constant()) : sum(x).register(this);
  }

  /** The node of a sum: what changes in inner regions is added last, so the rest is computed outside them. */
  Node sum(Linear x) {
    if (x.isAtom()) return x.terms().getFirst().atom();
    if (x.isConstant()) {
      var recipe = new Node.Recipe("mov.b32", List.of(Arithmetic.immediate(x.constant())));
      return pure(PtxType.B32, root, x.constant(), x.constant(), x.ones(), recipe);
    }
    var byDepth = x.terms().stream().sorted(java.util.Comparator.comparingInt((Linear.Term t) -> t.atom().home.depth))
        .toList();
    var last = byDepth.getLast();
    boolean constantLast = x.constant() != 0 && x.terms().size() > 1
        && byDepth.getFirst().atom().home.depth == last.atom().home.depth;
    var rest = constantLast ? x.withoutConstant() : x.minus(new Linear(0, List.of(last)));
    return pure(PtxType.B32, x.home(root), x.min(), x.max(), x.ones(), constantLast
        ? new Node.Recipe("add.s32", List.of(new Node.Argument.Sum(rest), Arithmetic.immediate(x.constant())))
        : addition(last, rest));
  }

  private static Node.Recipe addition(Linear.Term term, Linear rest) {
    var atom = new Node.Argument.Value(term.atom());
    long factor = term.factor();
    if (rest.isConstant() && rest.constant() == 0) {
      return Bits.isPowerOfTwo(factor)
          ? new Node.Recipe("shl.b32", List.of(atom, Arithmetic.immediate(Bits.log2(factor))))
          : new Node.Recipe("mul.lo.s32", List.of(atom, Arithmetic.immediate(factor)));
    }
    var sum = new Node.Argument.Sum(rest);
    if (factor == 1) return new Node.Recipe("add.s32", List.of(atom, sum));
    if (factor == -1) return new Node.Recipe("sub.s32", List.of(sum, atom));
    return new Node.Recipe("mad.lo.s32", List.of(atom, Arithmetic.immediate(factor), sum));
  }

  Node constantPredicate(boolean value) {
    var recipe = new Node.Recipe("setp.ne.u32", List.of(Arithmetic.immediate(value ? 1 : 0), Arithmetic.immediate(0)));
    return pure(PtxType.PRED, root, 0, 1, 1, recipe);
  }

  private Statement.Location location() {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> frames
        .filter(f -> Kernel.class.isAssignableFrom(f.getDeclaringClass())).findFirst()
        .map(f -> new Statement.Location(
            files.computeIfAbsent(f.getFileName(), _ -> files.size() + 1), f.getLineNumber(), 0))
        .orElse(null));
  }

  private static PtxType bank(PtxType type) {
    return switch (type) {
      case PRED, F32, F64, B128 -> type;
      default -> switch (type.bits()) {
        case 8, 16 -> PtxType.B16;
        case 32 -> PtxType.B32;
        default -> PtxType.B64;
      };
    };
  }

  private static String prefix(PtxType bank) {
    return switch (bank) {
      case PRED -> "%p";
      case F32 -> "%f";
      case F64 -> "%fd";
      case B8 -> "%b";
      case B16 -> "%h";
      case B32 -> "%r";
      case B128 -> "%rq";
      default -> "%rd";
    };
  }

  CompiledKernel finish(String name) {
    int threads = block.orElseThrow(() ->
        new TraceException("kernel '" + name + "' never declared its block: call block(threads)"));
    checks.forEach(Runnable::run);
    root.append(null, Instruction.of("ret"));
    var body = new ArrayList<Statement>();
    registers.forEach((bank, count) -> body.add(new Statement.Registers(bank, prefix(bank), count)));
    body.addAll(root.body());
    var head = parameters.values().stream().map(KernelParameter::declaration).toList();
    var directives = new ArrayList<>(List.of(new Function.Directive("maxntid", List.of((long) threads, 1L, 1L))));
    resident.ifPresent(blocks -> directives.add(new Function.Directive("minnctapersm", List.of((long) blocks))));
    var items = new ArrayList<PtxModule.ModuleItem>();
    files.forEach((path, index) -> items.add(new PtxModule.SourceFile(index, path)));
    if (sharedBytes > 0) items.add(Variable.dynamicShared(DYNAMIC_SHARED, SHARED_ALIGNMENT));
    items.add(new Function(Linkage.VISIBLE, true, List.of(), name, head, directives, Optional.of(body)));
    var module = new PtxModule(target.version(), List.of(target.architecture()), 64, items);
    return new CompiledKernel(name, module, List.copyOf(parameters.values()), Dim3.of(threads), Dim3.of(cluster),
        sharedBytes, features, ahead, sharedTensors, List.copyOf(partitions.values()));
  }

}
