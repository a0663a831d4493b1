package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.layout.Layout;
import tilewright.numerics.BlockScaledModel;
import tilewright.numerics.ElementType;
import tilewright.reference.BlockScaledReference;
import tilewright.reference.Comparison;
import tilewright.reference.TensorView;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm120.Sm120NarrowGemm;

/**
 * A product of matrices that the host has quantized to floats of eight bits or fewer.
 *
 * @param order of operands
 * @param batch of which every entry has factors of its own, which the kernel reads
 * @param numbers which numbers
 * @param multiplier whose kernel multiplies
 */
record NarrowCase(UmmaTypes types, String order, int m, int n, int k, int batch, Numbers numbers, long seed,
    Multiplier multiplier) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");

  NarrowCase(UmmaTypes types, int m, int n, int k, Numbers numbers, long seed) {
    this(types, "TN", m, n, k, 1, numbers, seed);
  }

  /** A product by {@code tcgen05.mma}. */
  NarrowCase(UmmaTypes types, String order, int m, int n, int k, int batch, Numbers numbers, long seed) {
    this(types, order, m, n, k, batch, numbers, seed, Multiplier.SM100);
  }

  /** Returns this case multiplied in another way. */
  NarrowCase by(Multiplier other) {
    return new NarrowCase(types, order, m, n, k, batch, numbers, seed, other);
  }

  /** The architectures that multiply such floats. */
  enum Multiplier {
    SM100("sm100"),
    /** Blackwell's kernel, with what only B300 has. */
    SM103("sm100"),
    SM120("sm120");

    private final String arch;

    Multiplier(String arch) {
      this.arch = arch;
    }
  }

  /** The distribution of the numbers to quantize. */
  enum Numbers {
    /** Whole numbers times powers of two that change from block to block: a single holds every sum, in any order. */
    WHOLE,
    /** Normally distributed numbers, of which some are not finite where there are scales. */
    NORMAL,
    /** Finite normal numbers whose magnitude changes from block to block, so that accumulators truncate products. */
    SPREAD
  }

  Case makeCase() {
    var config = m + "x" + n + "x" + k + " " + order + " " + name() + "->" + types.output().text() + description()
        + (batch == 1 ? "" : " batch=" + batch);
    return new Case(multiplier.arch + "_narrow_gemm", multiplier.arch, config, EVERYWHERE,
        Price.products(m, n, k, batch), this::launch, this::buffers, (_, out, _) -> compare(out));
  }

  private PreparedLaunch launch() {
    var problem = NarrowGemm.problem(types, m, n, k, batch, order);
    if (batch == 1) problem = problem.scaled(factor(0), 0);
    var plain = EpilogueArguments.plain(problem);
    var epilogue = batch == 1 ? plain : NarrowGemm.withFactors(plain, batch);
    return switch (multiplier) {
      case SM100, SM103 -> NarrowGemm.prepare(config(problem), problem, k, epilogue);
      case SM120 -> Sm120NarrowGemm.prepare(types, problem, k, epilogue);
    };
  }

  private Sm100GemmConfig config(GemmProblem problem) {
    return NarrowGemm.configure(types, problem, multiplier == Multiplier.SM103 ? Target.SM103A : Target.SM100A);
  }

  private String description() {
    return switch (numbers) {
      case WHOLE -> "";
      case NORMAL -> types.kind().scaled() ? " with NaN and infinities" : " normal";
      case SPREAD -> " spread";
    };
  }

  private String name() {
    return types.kind().name().toLowerCase(Locale.ROOT) + " " + types.a().text() + "*" + types.b().text();
  }

  private float factor(int entry) {
    return left(entry).factor() * right(entry).factor();
  }

  private NarrowMatrix left(int entry) {
    return matrix(types.a(), m, order.charAt(0) == 'T', seed + 2 * entry);
  }

  private NarrowMatrix right(int entry) {
    return matrix(types.b(), n, order.charAt(1) == 'N', seed + 2 * entry + 1);
  }

  private NarrowMatrix matrix(MmaFormat element, int rows, boolean alongK, long seed) {
    var format = new NarrowFormat(types.kind(), element);
    var layout = new NarrowLayout(format, rows, k, alongK);
    var random = new SplittableRandom(seed);
    var values = new float[rows * k];
    boolean scaled = types.kind().scaled();
    float unit = 1;
    for (int i = 0; i < values.length; i++) {
      if (scaled && i % k % types.kind().block() == 0) unit = Math.scalb(1f, exponent(random));
      values[i] = unit * (numbers == Numbers.WHOLE ? random.nextInt(7) - 3 : (float) random.nextGaussian());
    }
    if (numbers == Numbers.WHOLE) return NarrowMatrix.quantize(layout, 1, values);
    if (scaled && numbers == Numbers.NORMAL) {
      values[random.nextInt(values.length)] = Float.NaN;
      values[random.nextInt(values.length)] = Float.NEGATIVE_INFINITY;
    }
    return NarrowMatrix.quantize(layout, format.factor(NarrowFormat.largest(values)), values);
  }

  /** A random exponent for the magnitude of a block. */
  private int exponent(SplittableRandom random) {
    return switch (numbers) {
      case WHOLE -> random.nextInt(5) - 2;
      case NORMAL -> 0;
      case SPREAD -> random.nextInt(41) - 20;
    };
  }

  private Map<String, MemorySegment> buffers() {
    var all = new HashMap<>(Map.of("A", joined(this::left, NarrowMatrix::elements),
        "B", joined(this::right, NarrowMatrix::elements), "C", Buffers.poisoned(types.output(), (long) batch * m * n)));
    if (types.kind().scaled()) {
      all.put("SA", joined(this::left, NarrowMatrix::scales));
      all.put("SB", joined(this::right, NarrowMatrix::scales));
    }
    if (batch > 1) {
      all.put("FA", factors(this::left));
      all.put("FB", factors(this::right));
    }
    return all;
  }

  /** Concatenates one part of every entry of the batch. */
  private MemorySegment joined(IntFunction<NarrowMatrix> matrix, Function<NarrowMatrix, byte[]> part) {
    var parts = IntStream.range(0, batch).mapToObj(matrix).map(part).toList();
    var all = Buffers.zeros(ElementType.I8, parts.stream().mapToLong(bytes -> bytes.length).sum());
    long at = 0;
    for (var bytes : parts) {
      MemorySegment.copy(bytes, 0, all, ValueLayout.JAVA_BYTE, at, bytes.length);
      at += bytes.length;
    }
    return all;
  }

  private MemorySegment factors(IntFunction<NarrowMatrix> matrix) {
    var all = Buffers.zeros(ElementType.F32, batch);
    for (int i = 0; i < batch; i++) all.setAtIndex(ValueLayout.JAVA_FLOAT, i, matrix.apply(i).factor());
    return all;
  }

  private Verdict compare(Map<String, MemorySegment> out) {
    int each = m * n;
    var exact = new double[batch * each];
    var stepwise = new double[batch * each];
    for (int i = 0; i < batch; i++) {
      var reference = new BlockScaledReference(model(), NarrowRows.of(left(i)), NarrowRows.of(right(i)),
          types.output(), factor(i));
      System.arraycopy(reference.exact(), 0, exact, i * each, each);
      System.arraycopy(reference.inTensorMemory(), 0, stepwise, i * each, each);
    }
    // As tensors lie here, rows first.
    var layout = Layout.parse("(%d,%d,%d):(%d,1,%d)".formatted(m, n, batch, n, each));
    var comparison = Comparison.of(new TensorView(types.output(), out.get("C"), layout).values(), exact, stepwise,
        types.output(), IntStream.range(0, batch * each).toArray());
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.of(comparison.bitExact()), comparison.violation());
  }

  private boolean isDeep() {
    return config(NarrowGemm.problem(types, m, n, k, batch, order)).deep();
  }

  private BlockScaledModel model() {
    return switch (types.kind()) {
      case MXF4 -> isDeep() ? BlockScaledModel.MXF4_DEEP : BlockScaledModel.MXF4;
      case NVF4 -> isDeep() ? BlockScaledModel.NVF4_DEEP : BlockScaledModel.NVF4;
      default -> BlockScaledModel.MXF8F6F4;
    };
  }
}
