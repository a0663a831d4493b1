package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.TraceException;
import tilewright.kernels.attention.quantization.HeadMaximum;
import tilewright.kernels.attention.quantization.RowQuantizer;
import tilewright.kernels.attention.quantization.RowTransform;
import tilewright.kernels.attention.quantization.Scaling;
import tilewright.kernels.attention.quantization.TransposedQuantizer;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.reference.Hadamard;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.HeadQuantizer.Tables;
import tilewright.reference.Rotation;
import tilewright.reference.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Launches on tensors as callers have them: strided, in two steps, beside others; and what is refused. */
class HeadQuantizationTest {
  private static final int S = 70;
  private static final int H = 2;
  private static final int D = 64;
  /** Q, K and V of a head beside each other. */
  private static final int PITCH = 3 * H * D;
  private static final LaunchArguments.Tensor X = tensor("X", List.of(1L, (long) S, (long) H, (long) D),
      List.of((long) S * PITCH, (long) PITCH, (long) D, 1L));
  private static final LaunchArguments.Tensor Y = tensor("Y", List.of(1L, (long) S, (long) H, (long) D),
      List.of((long) S * H * D, (long) H * D, (long) D, 1L));
  private static final RowTransform TRANSFORM = new RowTransform(ElementType.BF16, D, 64, Rotation.NONE, true);

  private static LaunchArguments.Tensor tensor(String name, List<Long> extents, List<Long> strides) {
    return new LaunchArguments.Tensor(name, 0, extents, strides);
  }

  private static TensorView view(ElementType type, MemorySegment data, long... shapeAndStride) {
    int rank = shapeAndStride.length / 2;
    return new TensorView(type, data, Layout.of(IntStream.range(0, rank).mapToObj(i ->
        Layout.of(shapeAndStride[i], shapeAndStride[rank + i])).toList()));
  }

  private static MemorySegment bytes(long count) {
    return Arena.ofAuto().allocate(count, 256);
  }

  /** Random numbers in X, +1 and −1 in Signs, room for the rest. */
  private static Map<String, MemorySegment> buffers() {
    var buffers = new HashMap<String, MemorySegment>();
    buffers.put("X", bytes(2L * S * PITCH));
    var random = new SplittableRandom(1);
    var x = view(ElementType.BF16, buffers.get("X"), (long) S * PITCH, 1);
    for (int i = 0; i < x.size(); i++) x.set(i, random.nextGaussian());
    buffers.put("Y", bytes((long) S * H * D));
    buffers.put("Factor", bytes(64));
    buffers.put("Amax", bytes(64));
    buffers.put("Signs", bytes(4 * D));
    buffers.get("Signs").copyFrom(MemorySegment.ofArray(Hadamard.signs(5, D)));
    return buffers;
  }

  private static double[][] rows(Map<String, MemorySegment> buffers, int head) {
    return IntStream.range(0, S).mapToObj(s -> IntStream.range(0, D).mapToDouble(d ->
        view(ElementType.BF16, buffers.get("X"), S, H, D, PITCH, D, 1).value(s + (long) S * (head + H * d))).toArray())
        .toArray(double[][]::new);
  }

  private static void run(PreparedLaunch launch, Map<String, MemorySegment> buffers) {
    Simulator.load(launch.kernel().module()).run(launch.on(buffers), SimulatorOptions.defaults());
  }

  private static double[] codes(Map<String, MemorySegment> buffers, int head, int row) {
    var y = view(ElementType.E4M3, buffers.get("Y"), D, S, H, 1, H * D, D);
    return IntStream.range(0, D).mapToDouble(d -> y.value(d + D * (row + (long) S * head))).toArray();
  }

  private static LaunchArguments.Tensor signs() {
    return tensor("Signs", List.of((long) D), List.of(1L));
  }

  @Test
  void headsOfAPackedTensorAreQuantizedInBlocks() {
    var buffers = buffers();
    var factors = tensor("Factor", List.of(1L, (long) H, 2L), List.of(4L, 2L, 1L));
    run(new RowQuantizer(TRANSFORM, ElementType.E4M3, Scaling.BLOCK).on(Map.of("X", X, "Y", Y, "Factor", factors,
        "Signs", signs())), buffers);
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, true);
    var tables = new Tables(new float[0][], new float[0][], Hadamard.signs(5, D));
    for (int head = 0; head < H; head++) {
      var expected = quantizer.perBlock(rows(buffers, head), D, tables, 64);
      for (int s = 0; s < S; s++) assertArrayEquals(expected.codes()[s], codes(buffers, head, s));
      var written = view(ElementType.F32, buffers.get("Factor"), 2, H, 1, 2);
      for (int i = 0; i < 2; i++) assertEquals(expected.factors()[i], written.value(i + 2L * head));
    }
  }

  /** Strides of 0 share one maximum among the heads. */
  @Test
  void oneFactorForAllHeadsTakesTwoLaunches() {
    var buffers = buffers();
    var one = List.of(0L, 0L);
    var extents = List.of(1L, (long) H);
    run(new HeadMaximum(TRANSFORM).on(Map.of("X", X, "Amax", tensor("Amax", extents, one), "Signs", signs())), buffers);
    run(new RowQuantizer(TRANSFORM, ElementType.E4M3, Scaling.HEAD).on(Map.of("X", X, "Y", Y, "Amax",
        tensor("Amax", extents, one), "Factor", tensor("Factor", extents, one), "Signs", signs())), buffers);
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, true);
    var tables = new Tables(new float[0][], new float[0][], Hadamard.signs(5, D));
    float largest = 0;
    for (int head = 0; head < H; head++) {
      largest = Math.max(largest, HeadQuantizer.largest(quantizer.stepwise(rows(buffers, head), tables), 0, S));
    }
    assertEquals(quantizer.factor(largest, D), view(ElementType.F32, buffers.get("Factor"), 1, 1).value(0));
    for (int head = 0; head < H; head++) {
      var transformed = quantizer.stepwise(rows(buffers, head), tables);
      for (int s = 0; s < S; s++) {
        var expected = new double[D];
        quantizer.round(transformed[s], quantizer.inverse(largest), expected);
        assertArrayEquals(expected, codes(buffers, head, s));
      }
    }
  }

  /** Codes of V lie as rows of keys, and behind the last key are zeros even where the given factor is 0. */
  @Test
  void transposedCodesArePaddedWithZeros() {
    var buffers = buffers();
    long pitch = TransposedQuantizer.paddedKeys(S);
    assertEquals(80, pitch);
    buffers.put("Y", bytes(H * D * pitch).fill((byte) 0x55));
    var y = tensor("Y", List.of(1L, (long) H, (long) D, pitch), List.of(H * D * pitch, D * pitch, pitch, 1L));
    run(new TransposedQuantizer(ElementType.BF16, ElementType.E4M3, D, 64, Scaling.GIVEN).on(Map.of("X", X, "Y", y,
        "Factor", tensor("Factor", List.of(1L, (long) H), List.of(0L, 0L)))), buffers);
    var written = view(ElementType.E4M3, buffers.get("Y"), pitch, (long) H * D, 1, pitch);
    for (int row = 0; row < H * D; row++) {
      for (int key = 0; key < pitch; key++) {
        long at = key + pitch * row;
        assertTrue(key < S ? Math.abs(written.value(at)) == 448 || Double.isNaN(written.value(at))
            : written.bits(at) == 0, "key " + key + " of row " + row + " is " + written.value(at));
      }
    }
  }

  @Test
  void whatTheKernelsCannotReadIsRefused() {
    var quantizer = new RowQuantizer(TRANSFORM, ElementType.E4M3, Scaling.GIVEN);
    var factor = tensor("Factor", List.of(1L, (long) H), List.of(0L, 0L));
    var shifted = new LaunchArguments.Tensor("X", 8, X.extents(), X.strides());
    assertEquals("tensor X[B, S, H, D]: offset 8 bytes is not a multiple of 8 elements",
        refusal(() -> quantizer.on(Map.of("X", shifted, "Y", Y, "Factor", factor, "Signs", signs()))));
    var odd = tensor("X", X.extents(), List.of((long) S * PITCH, PITCH + 4L, (long) D, 1L));
    assertEquals("tensor X[B, S, H, D]: stride of S is 388, this kernel needs multiples of 8",
        refusal(() -> quantizer.on(Map.of("X", odd, "Y", Y, "Factor", factor, "Signs", signs()))));
    var turned = tensor("X", X.extents(), List.of((long) S * PITCH, 1L, (long) D, (long) PITCH));
    assertTrue(refusal(() -> quantizer.on(Map.of("X", turned, "Y", Y, "Factor", factor, "Signs", signs())))
        .contains("this kernel needs"));
    assertTrue(refusal(() -> quantizer.on(Map.of("X", X, "Y", Y, "Factor", factor))).endsWith("needs tensor Signs[D]"));
    var unpadded = tensor("Y", List.of(1L, (long) H, (long) D, (long) S), List.of(80L * H * D, 80L * D, 80L,
        1L));
    assertEquals("tensor Y[B, H, D, L]: L = 70 is not a multiple of 16", refusal(() ->
        new TransposedQuantizer(ElementType.BF16, ElementType.E4M3, D, 64, Scaling.GIVEN).on(Map.of("X", X, "Y",
            unpadded, "Factor", factor))));
  }

  @Test
  void shapesWithoutAKernelAreRefused() {
    assertEquals("cannot quantise heads of 72 elements: a multiple of 16 up to 512", refusalOfShape(() ->
        new RowTransform(ElementType.BF16, 72, 64, Rotation.NONE, false)));
    assertEquals("cannot quantise blocks of 96 rows: a power of two from 32 on", refusalOfShape(() ->
        new RowTransform(ElementType.BF16, 64, 96, Rotation.NONE, false)));
    assertEquals("cannot quantise heads to i8: e4m3 or e5m2", refusal(() ->
        new RowQuantizer(TRANSFORM, ElementType.I8, Scaling.BLOCK)));
    assertEquals("cannot quantise blocks of 96 keys: 64 or 128", refusalOfShape(() ->
        new TransposedQuantizer(ElementType.BF16, ElementType.E4M3, 64, 96, Scaling.BLOCK)));
  }

  private static String refusal(Runnable launch) {
    return assertThrows(IllegalArgumentException.class, launch::run).getMessage();
  }

  private static String refusalOfShape(Runnable shape) {
    return assertThrows(TraceException.class, shape::run).getMessage();
  }
}
