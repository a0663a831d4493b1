package tilewright.verification;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.layout.Layout;
import tilewright.numerics.BlockScaledModel;
import tilewright.numerics.ElementType;
import tilewright.reference.BlockScaledReference;
import tilewright.reference.Comparison;
import tilewright.reference.TensorView;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;

/**
 * A product of matrices that the host has quantized to floats of eight bits or fewer.
 *
 * @param numbers which numbers
 */
record NarrowCase(UmmaTypes types, int m, int n, int k, Numbers numbers, long seed) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");

  /** What is quantized. */
  enum Numbers {
    /** Whole numbers times powers of two that change from block to block: a single holds every sum, in any order. */
    WHOLE,
    /** Normally distributed numbers, of which some are not finite where there are scales. */
    NORMAL,
    /** The same, finite, of magnitudes that change from block to block, so that sums cut products off. */
    SPREAD
  }

  Case makeCase() {
    var config = m + "x" + n + "x" + k + " TN " + name() + "->" + types.output().text()
        + description();
    var problem = NarrowGemm.problem(types, m, n, k).scaled(alpha(), 0);
    return new Case("sm100_narrow_gemm", "sm100", config, EVERYWHERE, true,
        () -> NarrowGemm.prepare(NarrowGemm.configure(types, m, n), problem, k, EpilogueArguments.plain(problem)),
        this::buffers, (_, out, _) -> compare(out));
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

  private float alpha() {
    return left().factor() * right().factor();
  }

  private NarrowMatrix left() {
    return matrix(types.a(), m, seed);
  }

  private NarrowMatrix right() {
    return matrix(types.b(), n, seed + 1);
  }

  private NarrowMatrix matrix(MmaFormat element, int rows, long seed) {
    var format = new NarrowFormat(types.kind(), element);
    var random = new SplittableRandom(seed);
    var values = new float[rows * k];
    boolean scaled = types.kind().scaled();
    float unit = 1;
    for (int i = 0; i < values.length; i++) {
      if (scaled && i % k % types.kind().block() == 0) unit = Math.scalb(1f, exponent(random));
      values[i] = unit * (numbers == Numbers.WHOLE ? random.nextInt(7) - 3 : (float) random.nextGaussian());
    }
    if (numbers == Numbers.WHOLE) return NarrowMatrix.quantize(format, 1, rows, k, values);
    if (scaled && numbers == Numbers.NORMAL) {
      values[random.nextInt(values.length)] = Float.NaN;
      values[random.nextInt(values.length)] = Float.NEGATIVE_INFINITY;
    }
    return NarrowMatrix.quantize(format, rows, k, values);
  }

  /** Of a block's magnitude. */
  private int exponent(SplittableRandom random) {
    return switch (numbers) {
      case WHOLE -> random.nextInt(5) - 2;
      case NORMAL -> 0;
      case SPREAD -> random.nextInt(41) - 20;
    };
  }

  private Map<String, MemorySegment> buffers() {
    var left = left();
    var right = right();
    var all = new HashMap<>(Map.of("A", aligned(left.elements()), "B", aligned(right.elements()), "C",
        Buffers.poisoned(types.output(), (long) m * n)));
    if (types.kind().scaled()) all.putAll(Map.of("SA", aligned(left.scales()), "SB", aligned(right.scales())));
    return all;
  }

  private static MemorySegment aligned(byte[] bytes) {
    var segment = Buffers.zeros(ElementType.I8, bytes.length);
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return segment;
  }

  private Verdict compare(Map<String, MemorySegment> out) {
    var reference = new BlockScaledReference(model(), NarrowRows.of(left()), NarrowRows.of(right()), 1, types.output(),
        alpha());
    // As tensors lie here, rows first.
    var view = new TensorView(types.output(), out.get("C"), Layout.parse("(%d,%d):(%d,1)".formatted(m, n, n)));
    var comparison = Comparison.of(view.values(), reference.exact(), reference.inTensorMemory(), types.output(),
        IntStream.range(0, m * n).toArray());
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        Optional.of(comparison.bitExact()), comparison.violation());
  }

  private BlockScaledModel model() {
    return switch (types.kind()) {
      case MXF4 -> BlockScaledModel.MXF4;
      case NVF4 -> BlockScaledModel.NVF4;
      default -> BlockScaledModel.MXF8F6F4;
    };
  }
}
