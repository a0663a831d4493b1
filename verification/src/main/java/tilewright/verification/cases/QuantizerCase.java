package tilewright.verification.cases;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SplittableRandom;
import tilewright.kernel.LaunchArguments;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.TensorView;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.NarrowMatrix;
import tilewright.sm100.NarrowQuantization;

/** A matrix quantized by a kernel, which the host quantizes to the same bits. */
record QuantizerCase(NarrowFormat format, ElementType type, int rows, int k, long seed) {
  private static final Set<String> EVERYWHERE = Set.of("sim", "gpu");
  private static final double[] SPECIAL = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0};

  Case makeCase() {
    var x = new LaunchArguments.Tensor("X", 0, List.of((long) rows, (long) k), List.of((long) k, 1L));
    return new Case("sm100_quantize", "sm100", rows + "x" + k + " " + type.text() + "->" + format, EVERYWHERE,
        Price.elements((long) rows * k), () -> NarrowQuantization.quantize(new NarrowLayout(format, rows, k), type, x), this::buffers,
        (_, out, _) -> compare(out));
  }

  /** Numbers of changing magnitudes, of which some are not finite. */
  private TensorView numbers() {
    long count = (long) rows * k;
    var x = new TensorView(type, Buffers.zeros(type, count), Layout.of(count, 1));
    var random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      double value = Math.scalb(random.nextGaussian(), (i / 48 * 7 + (int) seed) % 24 - 12);
      x.set(i, random.nextInt(200) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : value);
    }
    return x;
  }

  private float[] values() {
    var values = numbers().values();
    var singles = new float[values.length];
    for (int i = 0; i < values.length; i++) singles[i] = (float) values[i];
    return singles;
  }

  private Map<String, MemorySegment> buffers() {
    var layout = new NarrowLayout(format, rows, k);
    var largest = Buffers.zeros(ElementType.F32, 1);
    largest.set(ValueLayout.JAVA_FLOAT, 0, NarrowFormat.largest(values()));
    var all = new HashMap<>(Map.of("X", numbers().data(),
        "Q", Buffers.poisoned(ElementType.I8, layout.elementBytes()),
        "S", Buffers.poisoned(ElementType.I8, layout.scaleBytes())));
    if (format.hasFactor()) {
      all.put("G", largest);
      all.put("F", Buffers.poisoned(ElementType.F32, 1));
    }
    return all;
  }

  private Verdict compare(Map<String, MemorySegment> out) {
    var expected = NarrowMatrix.quantize(format, rows, k, values());
    boolean same = Arrays.equals(expected.elements(), out.get("Q").toArray(ValueLayout.JAVA_BYTE))
        && Arrays.equals(expected.scales(), out.get("S").toArray(ValueLayout.JAVA_BYTE));
    if (format.hasFactor()) same &= out.get("F").get(ValueLayout.JAVA_FLOAT, 0) == expected.factor();
    return new Verdict(OptionalDouble.empty(), OptionalDouble.empty(), Optional.of(same),
        same ? Optional.empty() : Optional.of("elements, scales or factor are not what the host makes of the numbers"));
  }
}
