package gemm;

import java.util.Arrays;
import java.util.Random;
import tilewright.kernels.Pointwise;
import tilewright.numerics.ElementType;
import tilewright.ops.GemmOptions;
import tilewright.ops.Ops;

/** D = ReLU(A·B + bias) of random matrices, on the first GPU or in the simulator, beside the same in plain Java. */
final class Main {
  private Main() {}

  /** @param arguments M, N and K; 128, 256 and 64 without them */
  public static void main(String[] arguments) {
    if (!String.join(" ", arguments).matches("|[1-9]\\d{0,3} [1-9]\\d{0,3} [1-9]\\d{0,3}")) {
      System.err.println("java-gemm: arguments are " + Arrays.toString(arguments) + "; needed are M, N and K, 1 to 9999");
      System.exit(2);
    }
    int[] sizes = arguments.length == 0 ? new int[] {128, 256, 64}
        : Arrays.stream(arguments).mapToInt(Integer::parseInt).toArray();
    try (var ops = Ops.open()) {
      IO.println("largest error %.1e of %s on %s".formatted(error(ops, sizes[0], sizes[1], sizes[2]),
          Arrays.toString(sizes), ops));
    }
  }

  /** Returns the largest difference from FP64. */
  static double error(Ops ops, int m, int n, int k) {
    var random = new Random(1);
    float[] a = whole(random, m * k);
    float[] b = whole(random, k * n);
    float[] bias = whole(random, n);
    float[] d = multiply(ops, a, b, bias, m, n, k);
    double error = 0;
    for (int i = 0; i < m * n; i++) {
      double sum = bias[i % n];
      for (int j = 0; j < k; j++) sum += (double) a[i / n * k + j] * b[j * n + i % n];
      error = Math.max(error, Math.abs(d[i] - Math.max(sum, 0)));
    }
    return error;
  }

  /** A (M,K) and B (K,N) in bf16, sums, bias and the result in FP32. Closing a tensor gives its memory back. */
  private static float[] multiply(Ops ops, float[] a, float[] b, float[] bias, int m, int n, int k) {
    try (var left = ops.tensor(ElementType.BF16, a, m, k);
        var right = ops.tensor(ElementType.BF16, b, k, n);
        var added = ops.tensor(ElementType.F32, bias, n);
        var product = ops.gemm(left, right,
            GemmOptions.of().bias(added).activation(Pointwise.RELU).output(ElementType.F32))) {
      return product.floats();
    }
  }

  /** Whole numbers that bf16 has, and whose sums FP32 has: every order of adding them gives the same bits. */
  private static float[] whole(Random random, int count) {
    var numbers = new float[count];
    for (int i = 0; i < count; i++) numbers[i] = random.nextInt(-4, 5);
    return numbers;
  }
}
