package tilewright.reference;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tilewright.numerics.ElementType;

/** Sums of products by their definition, and one addition after the other in the accumulator's type. */
public final class SumReference {
  private SumReference() {}

  /** Y = the sum over all elements of the product of the inputs. */
  public static Reference total(ElementType accumulator, List<String> inputs) {
    return tensors -> {
      int n = tensors.get(inputs.getFirst()).length;
      return List.of(Expected.rounded("Y", new double[] {exact(tensors, inputs, 0, n)},
          new double[] {stepwise(accumulator, tensors, inputs, 0, n)}));
    };
  }

  /** Y(m) = the sum over row m of X (M,N). */
  public static Reference rows(ElementType accumulator, int rows, int columns) {
    return tensors -> List.of(Expected.rounded("Y",
        IntStream.range(0, rows).mapToDouble(m -> exact(tensors, List.of("X"), m * columns, columns)).toArray(),
        IntStream.range(0, rows).mapToDouble(m -> stepwise(accumulator, tensors, List.of("X"), m * columns, columns))
            .toArray()));
  }

  private static double exact(Map<String, double[]> tensors, List<String> inputs, int from, int count) {
    return IntStream.range(from, from + count).mapToDouble(i -> product(tensors, inputs, i)).sum();
  }

  private static double stepwise(ElementType accumulator, Map<String, double[]> tensors, List<String> inputs, int from,
      int count) {
    double sum = 0;
    for (int i = from; i < from + count; i++) sum = accumulator.round(sum + product(tensors, inputs, i));
    return sum;
  }

  private static double product(Map<String, double[]> tensors, List<String> inputs, int i) {
    return inputs.stream().mapToDouble(name -> tensors.get(name)[i]).reduce(1, (a, b) -> a * b);
  }
}
