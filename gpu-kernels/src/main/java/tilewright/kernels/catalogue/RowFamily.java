package tilewright.kernels.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.RowShape;
import tilewright.kernel.collective.RowTuning;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Multiprocessor;
import tilewright.reference.Reference;

/** Families that work on the rows of a matrix X (M,N), each row by as many threads as its length wants. */
abstract class RowFamily extends OptionedFamily {
  private static final int SMALL_BLOCK = 128;
  /** Rows of so many accesses are walked through by kernels that read them once. */
  private static final int WALKED = 1024;
  /** Rows of so many are long. */
  static final int LONG = 4096;
  private static final int SMALLEST_BLOCK = 64;
  /** Through long rows of which threads hold little else. */
  static final Steps LONG_STEPS = new Steps(4, 1024, 2048);
  /** The steps for rows that are not long. */
  static final Steps SHORT_STEPS = new Steps(2, 512, 2048);

  private final Multiprocessor sm;

  /** A family for GPUs whose SMs have room for as many threads as Hopper's. */
  RowFamily(String name, String formula, List<Setting> options) {
    this(Target.SM90A.capability(), name, formula, options);
  }

  /** @param capability of the GPU that the kernels are for, times ten */
  RowFamily(int capability, String name, String formula, List<Setting> options) {
    super(name, formula, options);
    this.sm = Multiprocessor.of(capability);
  }

  @Override
  List<Setting> common() {
    return List.of(Setting.extent("m", 4096), Setting.extent("n", 4096),
        Setting.option("dtype", types().toArray(String[]::new)));
  }

  /** Bytes of an access, or the widest that a row allows. */
  static final Setting VECTOR = new Setting("vec", List.of(Setting.AUTO, "16", "8", "4", "1"), Setting.Kind.TUNING);

  /**
   * Bytes of an access; accesses of a thread to a row, about; threads of a row, of a CTA of short rows, rows of a
   * thread, CTAs of a row and of an SM, wide rows, accesses of a thread in registers.
   */
  @Override
  List<Setting> tunings() {
    return Stream.concat(Stream.of(VECTOR),
        Stream.of("runs", "lanes", "block", "each", "cluster", "blocks", "beside", "kept")
            .map(Setting::tuning)).toList();
  }

  /** Neighbours of an access as chosen, 0 for as many as a row allows. */
  static int vector(Choice choice) {
    boolean chosen = choice.tuned(VECTOR.name(), 0) > 0;
    return chosen ? choice.vector(VECTOR.name(), choice.type("dtype")) : 0;
  }

  /** The launch shape measured fastest on an H200 for rows of this length. */
  RowTuning liked(ElementType type, int columns) {
    return RowTuning.NONE;
  }

  /** About {@code runs} runs of 16 bytes per thread, of {@code each} rows, in CTAs of half the usual size. */
  static RowTuning small(int runs, int each) {
    return new RowTuning(0, SMALL_BLOCK, each, runs, 0, 0);
  }

  private RowTuning tuning(Choice choice) {
    var liked = liked(choice.type("dtype"), choice.number("n"));
    return new RowTuning(choice.tuned("lanes", 0), choice.tuned("block", liked.block()),
        choice.tuned("each", liked.each()), choice.tuned("runs", liked.runs()), choice.tuned("cluster", 0),
        choice.tuned("blocks", liked.blocks())).withVector(vector(choice))
        .withBeside(choice.tuned("beside", liked.beside())).withKept(choice.tuned("kept", liked.kept()));
  }

  /** Element types. */
  List<String> types() {
    return List.of("f32", "f16", "bf16");
  }

  /** No rows; rows of nothing, a group, a warp, a block; kept in registers, in shared memory too, or read again. */
  @Override
  public List<List<Integer>> awkward() {
    return List.of(List.of(0, 8), List.of(3, 0), List.of(3, 1), List.of(2, 67), List.of(5, 128), List.of(1, 36004),
        List.of(1, 33001), List.of(3, 1004));
  }

  @Override
  public List<List<Integer>> measured() {
    var shapes = new ArrayList<List<Integer>>();
    for (int n = 128; n <= 65536; n *= 2) shapes.add(List.of((1 << 28) / n, n));
    return shapes;
  }

  @Override
  public Workload workload(Choice choice) {
    return workload(choice, choice.type("dtype"), shape(choice));
  }

  private RowShape shape(Choice choice) {
    var tuning = tuning(choice);
    return RowShape.of(choice.type("dtype"), choice.number("n"), clusters() ? tuning : tuning.inOneBlock()).within(sm);
  }

  /**
   * How a row is walked through, in two steps or more.
   *
   * @param accesses of a thread to a step
   * @param threads of a row at most
   * @param room threads that an SM is to have room for, which limits registers, whatever a compiler would
   *     like to unroll: others read while the threads of a row meet
   */
  record Steps(int accesses, int threads, int room) {
    private RowShape shape(Choice choice, ElementType type, int runs, int vector) {
      int lanes = choice.tuned("lanes", Math.min(Integer.highestOneBit(runs / (2 * accesses)), threads));
      int blocks = choice.tuned("blocks", room / Math.max(lanes, SMALLEST_BLOCK));
      return RowShape.of(type, choice.number("n"), new RowTuning(lanes, 0, 0, 0, 1, blocks).withVector(vector))
          .walking(accesses);
    }
  }

  /**
   * The shape of kernels that read a row once. A row that is not short is walked through, since fewer threads then have
   * to meet.
   *
   * @param steps by the accesses of a row
   */
  RowShape readOnce(Choice choice, ElementType type, RowShape own, IntFunction<Steps> steps) {
    int runs = own.length() / own.vector();
    return runs < WALKED ? own : steps.apply(runs).shape(choice, type, runs, own.vector()).within(sm);
  }

  /** Whether CTAs may share a row. */
  boolean clusters() {
    return false;
  }

  /** Clusters need Hopper. */
  @Override
  public Target target(Choice choice) {
    return shape(choice).cluster() > 1 ? Target.SM90A : Target.SM80;
  }

  abstract Workload workload(Choice choice, ElementType type, RowShape shape);

  /** Sums in FP32, or in the element type's own: f16 for types of 8 bits. */
  static final Setting ACCUMULATOR = Setting.option("acc", "f32", "narrow");

  /** The accumulator's type that {@link #ACCUMULATOR} chooses for an element type. */
  static ElementType accumulator(Choice choice, ElementType type) {
    if (choice.text("acc").equals("f32")) return ElementType.F32;
    return type == ElementType.BF16 ? ElementType.BF16 : ElementType.F16;
  }

  /** FP32 numbers have no narrower sum. */
  @Override
  public boolean supports(Choice choice) {
    return !"narrow".equals(choice.text("acc")) || choice.type("dtype") != ElementType.F32;
  }

  /** One CTA for as many rows as the shape has. */
  Workload rows(Choice choice, Kernel kernel, RowShape shape, Reference reference,
      Operand... operands) {
    return Workload.of(kernel, target(choice), shape.grid(choice.number("m")), reference, operands);
  }

  /** One CTA for as many rows as the shape has; the launch gives the kernel numbers, by name. */
  Workload rows(Choice choice, Kernel kernel, RowShape shape, Map<String, Float> scalars, Reference reference,
      Operand... operands) {
    return Workload.of(kernel, target(choice), Dim3.of(shape.grid(choice.number("m"))), scalars, reference, operands);
  }

  /** A matrix (M,N). */
  static GlobalTensor matrix(Scope k, String name, ElementType type, RowShape shape) {
    return k.global(specification(name, type, shape));
  }

  /** A matrix (M,N) that is read once, while next to nothing is written. */
  static GlobalTensor passing(Scope k, String name, ElementType type, RowShape shape) {
    return k.global(specification(name, type, shape).passingReads());
  }

  /** A matrix (M,N) that is read while as large a one is written. */
  static GlobalTensor source(Scope k, String name, ElementType type, RowShape shape) {
    return k.global(specification(name, type, shape).lastingReads());
  }

  private static TensorSpec specification(String name, ElementType type, RowShape shape) {
    return TensorSpec.of(name, type, "M", "N").contiguous("N").aligned(shape.vector()).fixed("N", shape.length());
  }

  /** A vector (N) that all rows share. */
  static GlobalTensor shared(Scope k, String name, ElementType type, RowShape shape) {
    return k.global(TensorSpec.of(name, type, "N").contiguous("N").aligned(shape.vector())
        .fixed("N", shape.length()));
  }
}
