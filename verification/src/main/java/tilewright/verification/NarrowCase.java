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
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
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
    NORMAL
  }

  Case makeCase() {
    var config = m + "x" + n + "x" + k + " TN " + name() + "->" + types.output().text()
        + (numbers == Numbers.WHOLE ? "" : types.kind().scaled() ? " with NaN and infinities" : " normal");
    var problem = NarrowGemm.problem(types, m, n, k).scaled(alpha(), 0);
    return new Case("sm100_narrow_gemm", "sm100", config, EVERYWHERE, true,
        () -> NarrowGemm.prepare(NarrowGemm.configure(types, m, n), problem, k, EpilogueArguments.plain(problem)),
        this::buffers, (_, out, _) -> compare(out));
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
      if (scaled && i % k % types.kind().block() == 0) unit = Math.scalb(1f, random.nextInt(5) - 2);
      values[i] = numbers == Numbers.WHOLE ? (random.nextInt(7) - 3) * unit : (float) random.nextGaussian();
    }
    if (numbers == Numbers.WHOLE) return NarrowMatrix.quantize(format, 1, rows, k, values);
    if (scaled) {
      values[random.nextInt(values.length)] = Float.NaN;
      values[random.nextInt(values.length)] = Float.NEGATIVE_INFINITY;
    }
    return NarrowMatrix.quantize(format, rows, k, values);
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
    var left = values(left(), m);
    var right = values(right(), n);
    float alpha = alpha();
    var exact = new double[m * n];
    var stepwise = new double[m * n];
    for (int row = 0; row < m; row++) {
      for (int column = 0; column < n; column++) {
        double sum = 0;
        float single = 0;
        for (int i = 0; i < k; i++) {
          double product = left[row][i] * right[column][i];
          sum += product;
          single += (float) product;
        }
        // As tensors lie here, rows first.
        exact[row + m * column] = sum * alpha;
        stepwise[row + m * column] = rounded(single * alpha);
      }
    }
    var view = new TensorView(types.output(), out.get("C"), Layout.parse("(%d,%d):(%d,1)".formatted(m, n, n)));
    var comparison = Comparison.of(view.values(), exact, stepwise, types.output(), IntStream.range(0, m * n).toArray());
    return new Verdict(OptionalDouble.of(comparison.maxError()), OptionalDouble.of(comparison.meanError()),
        numbers == Numbers.WHOLE ? Optional.of(comparison.bitExact()) : Optional.empty(), comparison.violation());
  }

  private double rounded(double value) {
    return types.output().toDouble(types.output().fromDouble(value, Rounding.NEAREST_EVEN));
  }

  /** Numbers in units of the factor, which the product is multiplied with at the end. */
  private double[][] values(NarrowMatrix matrix, int rows) {
    var values = new double[rows][k];
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < k; i++) values[row][i] = matrix.inUnits(row, i);
    }
    return values;
  }
}
