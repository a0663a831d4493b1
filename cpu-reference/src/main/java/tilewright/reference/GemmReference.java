package tilewright.reference;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.numerics.TensorCoreModel;
import tilewright.numerics.TensorCoreOperands;

/**
 * C = alpha·A·Bᵀ + beta·C for A (M,K,L), B (N,K,L) and C (M,N,L), results in the order of C's indices (m fastest).
 * {@code rows} may choose some rows of C; every other result is zero and not to be compared.
 *
 * @param c the values before the product; not read where beta is zero
 */
public record GemmReference(TensorView a, TensorView b, TensorView c, float alpha, float beta) {
  /** K of {@code mma.m16n8k16}: a multiple of every model's block, so its chained blocks are those of one long sum. */
  private static final int STEP = 16;
  /** K of {@code mma.m16n8k32}. */
  private static final int BYTE_STEP = 32;
  /** Architectures whose tensor cores {@code mma} lets multiply 8-bit floats, the second and all after it. */
  private static final int FIRST_OF_BYTES = 89;
  private static final int SECOND_OF_BYTES = 120;

  public GemmReference {
    require(a.layout().rank() == 3 && b.layout().rank() == 3 && c.layout().rank() == 3, "A, B and C have three modes");
    require(extent(a, 1) == extent(b, 1), "K of A and B agree: " + extent(a, 1) + " and " + extent(b, 1));
    require(extent(a, 0) == extent(c, 0), "M of A and C agree: " + extent(a, 0) + " and " + extent(c, 0));
    require(extent(b, 0) == extent(c, 1), "N of B and C agree: " + extent(b, 0) + " and " + extent(c, 1));
  }

  private static void require(boolean condition, String rule) {
    if (!condition) throw new IllegalArgumentException("reference GEMM needs that " + rule);
  }

  private static int extent(TensorView tensor, int mode) {
    return Math.toIntExact(tensor.layout().mode(mode).size());
  }

  /** Computes the result in FP64 from the exact inputs. */
  public double[] exact(int[] rows) {
    return eachDot(rows, (x, y, old) -> {
      double sum = 0;
      for (int k = 0; k < x.length; k++) sum += x[k] * y[k];
      return alpha * sum + (beta == 0 ? 0 : beta * old);
    });
  }

  /** Sums by fused multiply-adds in FP32, in the order of k. */
  public double[] sequential(int[] rows) {
    return eachDot(rows, (x, y, old) -> {
      float sum = 0;
      for (int k = 0; k < x.length; k++) sum = Math.fma((float) x[k], (float) y[k], sum);
      return stored(sum, old);
    });
  }

  /**
   * Sums as {@code mma.m16n8k16} does, into FP32.
   *
   * @param architecture the compute capability times ten whose arithmetic to follow
   */
  public double[] onTensorCores(int architecture, int[] rows) {
    return onTensorCores(architecture, ElementType.F32, rows);
  }

  /** Sums as {@code mma.m16n8k16} does, into FP32 or f16, or {@code mma.m16n8k32} of 8-bit floats into FP32. */
  public double[] onTensorCores(int architecture, ElementType accumulator, int[] rows) {
    if (a.type().bits() == Byte.SIZE) {
      return architecture > FIRST_OF_BYTES && architecture < SECOND_OF_BYTES ? bytesAsHalves(architecture, rows)
          : summed(TensorCoreModel.mmaOfBytes(architecture, a.type(), b.type()), Math.max(1, extent(a, 1)), Scales.ONE,
              rows);
    }
    var model = TensorCoreModel.mma(architecture, a.type(), accumulator);
    // Tensor cores multiply whole steps of K; the kernel's tail is zeros.
    int padded = Math.ceilDiv(extent(a, 1), STEP) * STEP;
    var decodedA = decoded(a, padded);
    var decodedB = decoded(b, padded);
    return each(rows, (row, column, old) ->
        stored(accumulator.toDouble(model.dot(0, decodedA[row], decodedB[column])), old));
  }

  /**
   * Sums as ptxas makes tensor cores do that multiply no 8-bit floats: as halves, of each {@code m16n8k32} the lower
   * two of every four products before the upper two, and C at last.
   */
  private double[] bytesAsHalves(int architecture, int[] rows) {
    var model = TensorCoreModel.mma(architecture, ElementType.F16, ElementType.F32);
    int padded = Math.ceilDiv(extent(a, 1), BYTE_STEP) * BYTE_STEP;
    var halvesA = halves(a, padded);
    var halvesB = halves(b, padded);
    return each(rows, (row, column, old) -> {
      float sum = 0;
      for (int k = 0; k < padded; k += BYTE_STEP) {
        sum += (float) ElementType.F32.toDouble(model.dot(0, halvesA[row], halvesB[column], k, k + BYTE_STEP));
      }
      return stored(sum, old);
    });
  }

  private static TensorCoreOperands[] halves(TensorView tensor, int padded) {
    var bits = new long[extent(tensor, 0) * extent(tensor, 2)][padded];
    eachElement(tensor, (row, k, index) -> bits[row][k - k % BYTE_STEP + place(k % BYTE_STEP)] =
        ElementType.F16.fromDouble(tensor.value(index), Rounding.NEAREST_EVEN));
    return Arrays.stream(bits).parallel().map(row -> new TensorCoreOperands(ElementType.F16, row))
        .toArray(TensorCoreOperands[]::new);
  }

  /** The place of a step's element in the sum: the lower two of every four come first. */
  private static int place(int k) {
    return k / 2 % 2 * (BYTE_STEP / 2) + k / 4 * 2 + k % 2;
  }

  /** Sums as {@code wgmma} does: 8-bit integers exactly in 32 bits that wrap, others with SM90's arithmetic. */
  public double[] onWarpgroups(int[] rows) {
    return onWarpgroups(Math.max(1, extent(a, 1)), rows);
  }

  /** Sums floats of one type as {@code wgmma} does, into FP32 or f16. */
  public double[] onWarpgroups(ElementType accumulator, int[] rows) {
    return summed(TensorCoreModel.wgmma(a.type(), b.type(), accumulator), Math.max(1, extent(a, 1)), Scales.ONE, rows);
  }

  /** Sums as {@code wgmma} does, and adds the accumulators in FP32 after each interval of k. */
  public double[] onWarpgroups(int interval, int[] rows) {
    if (a.type() == ElementType.I8) return integers(rows);
    return onWarpgroups(interval, Scales.ONE, rows);
  }

  /**
   * Sums as {@code wgmma.sp} does, and adds the accumulators after each interval of k: of each chunk of A's elements
   * half are multiplied, among them all that are not zero, and they are summed as if nothing stood between them.
   */
  public double[] onWarpgroups(StructuredSparsity sparsity, ElementType accumulator, int interval, int[] rows) {
    if (a.type() == ElementType.I8) return integers(rows);
    var model = TensorCoreModel.wgmma(a.type(), b.type(), accumulator);
    int padded = sparsity.chunks(extent(a, 1)) * sparsity.chunk();
    var valuesA = values(a);
    var decodedA = decoded(a, padded);
    var decodedB = decoded(b, padded);
    return each(rows, (row, column, old) -> {
      float sum = 0;
      for (int from = 0; from < padded; from += interval) {
        int[] multiplied = sparsity.multiplied(valuesA[row], from, Math.min(padded, from + interval));
        sum += (float) accumulator.toDouble(
            model.dot(0, decodedA[row].select(multiplied), decodedB[column].select(multiplied)));
      }
      return stored(sum, old);
    });
  }

  /** The parts of k in which an element of C is summed. */
  public interface Parts {
    /** A range of k, from one index to below another. */
    record Part(int from, int to) {}

    /** The parts in the order in which they are added. */
    List<Part> of(int row, int column, int batch);
  }

  /** Sums parts of k as {@code mma.m16n8k16} does into FP32, and adds the parts, in their order, in FP32. */
  public double[] onTensorCores(int architecture, Parts parts, int[] rows) {
    var model = TensorCoreModel.mma(architecture, a.type(), ElementType.F32);
    int padded = Math.ceilDiv(extent(a, 1), STEP) * STEP;
    return summed(model, decoded(a, padded), decoded(b, padded), parts, Math.max(1, padded), rows);
  }

  /**
   * Sums parts of k as {@code wgmma} does, each interval of a part by itself. A part's intervals are added in FP32, and
   * so are the parts then, in their order; integers wrap, in whatever order.
   */
  public double[] onWarpgroups(Parts parts, int interval, int[] rows) {
    if (a.type() == ElementType.I8) return integers(rows);
    var model = TensorCoreModel.wgmma(a.type(), b.type());
    return summed(model, decoded(a, extent(a, 1)), decoded(b, extent(a, 1)), parts, interval, rows);
  }

  private double[] summed(TensorCoreModel model, TensorCoreOperands[] decodedA, TensorCoreOperands[] decodedB,
      Parts parts, int interval, int[] rows) {
    int m = extent(c, 0);
    int n = extent(c, 1);
    return each(rows, (row, column, old) -> {
      float sum = 0;
      for (var part : parts.of(row % m, column % n, row / m)) {
        float ofPart = 0;
        for (int from = part.from; from < part.to; from += interval) {
          int to = Math.min(part.to, from + interval);
          ofPart += (float) ElementType.F32.toDouble(model.dot(0, decodedA[row], decodedB[column], from, to));
        }
        sum += ofPart;
      }
      return stored(sum, old);
    });
  }

  /** The scale of a row of A or B in an interval of k; rows are counted through the batch. */
  interface Scales {
    /** No scales. */
    Scales ONE = (_, _, _) -> 1;

    float of(boolean ofA, int row, int interval);
  }

  /** Sums intervals as {@code wgmma} does, and multiplies each by the product of its scales. */
  double[] onWarpgroups(int interval, Scales scales, int[] rows) {
    // An 8-bit operand beside one of 16 bits is converted to its type, exactly.
    var multiplied = a.type().bits() < b.type().bits() ? b.type() : a.type();
    return summed(TensorCoreModel.wgmma(multiplied, b.type()), interval, scales, rows);
  }

  /** Sums as {@code tcgen05.mma} does: 8-bit integers exactly, others with SM100's arithmetic. */
  public double[] inTensorMemory(int[] rows) {
    if (a.type() == ElementType.I8) return integers(rows);
    return summed(TensorCoreModel.tcgen05(a.type(), b.type()), Math.max(1, extent(a, 1)), Scales.ONE, rows);
  }

  private double[] summed(TensorCoreModel model, int interval, Scales scales, int[] rows) {
    int depth = extent(a, 1);
    var decodedA = decoded(a, depth, model.a());
    var decodedB = decoded(b, depth);
    return each(rows, (row, column, old) -> {
      float sum = 0;
      for (int from = 0; from < depth; from += interval) {
        long part = model.dot(0, decodedA[row], decodedB[column], from, Math.min(depth, from + interval));
        float scale = scales.of(true, row, from / interval) * scales.of(false, column, from / interval);
        sum = Math.fma((float) model.accumulator().toDouble(part), scale, sum);
      }
      return stored(sum, old);
    });
  }

  /** Computes the result in FP64, with scales. */
  double[] exact(int interval, Scales scales, int[] rows) {
    var valuesA = values(a);
    var valuesB = values(b);
    return each(rows, (row, column, old) -> {
      double sum = 0;
      for (int k = 0; k < valuesA[row].length; k++) {
        sum += valuesA[row][k] * scales.of(true, row, k / interval) * valuesB[column][k]
            * scales.of(false, column, k / interval);
      }
      return alpha * sum + (beta == 0 ? 0 : beta * old);
    });
  }

  /** Sums of integers, stored as they are in integers. */
  private double[] integers(int[] rows) {
    return eachDot(rows, (x, y, old) -> c.type() == ElementType.I32 ? wrapped(x, y) : stored(wrapped(x, y), old));
  }

  private static int wrapped(double[] x, double[] y) {
    int sum = 0;
    for (int k = 0; k < x.length; k++) sum += (int) x[k] * (int) y[k];
    return sum;
  }

  /** The epilogue in FP32: alpha·sum, or beta·old + alpha·sum fused, rounded to C's type. */
  private double stored(double sum, double old) {
    float product = alpha * (float) sum;
    float result = beta == 0 ? product : Math.fma(beta, (float) old, product);
    return c.type().toDouble(c.type().fromDouble(result, Rounding.NEAREST_EVEN));
  }

  /** All rows of C. */
  public int[] allRows() {
    return IntStream.range(0, extent(c, 0)).toArray();
  }

  private interface Dot {
    double of(double[] x, double[] y, double old);
  }

  private double[] eachDot(int[] rows, Dot dot) {
    var valuesA = values(a);
    var valuesB = values(b);
    return each(rows, (row, column, old) -> dot.of(valuesA[row], valuesB[column], old));
  }

  private interface Output {
    double of(int rowOfA, int rowOfB, double old);
  }

  private double[] each(int[] rows, Output output) {
    int m = extent(c, 0);
    int n = extent(c, 1);
    int batches = extent(c, 2);
    var results = new double[Math.toIntExact(c.size())];
    IntStream.range(0, rows.length * batches).parallel().forEach(task -> {
      int row = rows[task % rows.length];
      int batch = task / rows.length;
      for (int column = 0; column < n; column++) {
        int index = row + m * (column + n * batch);
        results[index] = output.of(row + m * batch, column + n * batch, beta == 0 ? 0 : c.value(index));
      }
    });
    return results;
  }

  /** Rows of an operand, batch after batch. */
  private static double[][] values(TensorView tensor) {
    int rows = extent(tensor, 0);
    int depth = extent(tensor, 1);
    var values = new double[rows * extent(tensor, 2)][depth];
    eachElement(tensor, (row, k, index) -> values[row][k] = tensor.value(index));
    return values;
  }

  private static TensorCoreOperands[] decoded(TensorView tensor, int padded) {
    return decoded(tensor, padded, tensor.type());
  }

  private static TensorCoreOperands[] decoded(TensorView tensor, int padded, ElementType type) {
    var bits = new long[extent(tensor, 0) * extent(tensor, 2)][padded];
    eachElement(tensor, (row, k, index) -> bits[row][k] = type == tensor.type() ? tensor.bits(index)
        : type.fromDouble(tensor.value(index), Rounding.NEAREST_EVEN));
    return Arrays.stream(bits).parallel().map(row -> new TensorCoreOperands(type, row))
        .toArray(TensorCoreOperands[]::new);
  }

  private interface Element {
    void at(int row, int k, long index);
  }

  private static void eachElement(TensorView tensor, Element element) {
    int rows = extent(tensor, 0);
    int depth = extent(tensor, 1);
    IntStream.range(0, rows * extent(tensor, 2)).parallel().forEach(row -> {
      for (int k = 0; k < depth; k++) element.at(row, k, row % rows + (long) rows * (k + (long) depth * (row / rows)));
    });
  }
}
