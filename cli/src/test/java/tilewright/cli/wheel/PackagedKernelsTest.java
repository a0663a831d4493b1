package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.ops.Simulate;

/** Packaged kernels compute problems that fill none of their tiles, in the simulator with its sanitizer. */
class PackagedKernelsTest {
  private final Random random = new Random(29);

  private static PreparedLaunch launch(PackagedOperator operator, Map<String, Long> numbers) {
    var problems = operator.cases(90).filter(c -> c.key().equals("f32")).findFirst().orElseThrow();
    return problems.problem().prepare(numbers).launches().getFirst();
  }

  private float[] numbers(int count) {
    var numbers = new float[count];
    for (int i = 0; i < count; i++) numbers[i] = random.nextFloat() - 0.5f;
    return numbers;
  }

  @ParameterizedTest
  @CsvSource({"5,1,64", "3,3,80", "2,67,256", "33,5,32"})
  void ropeTurnsPairsHalfAHeadApart(int tokens, int heads, int dim) {
    int pairs = dim / 2;
    var n = new HashMap<>(Map.of("S", (long) tokens, "H", (long) heads, "D", (long) dim, "X_s", (long) heads * dim,
        "X_h", (long) dim, "Y_s", (long) heads * dim, "Y_h", (long) dim));
    n.putAll(Map.of("C_s", (long) pairs, "T_s", (long) pairs));
    var x = numbers(tokens * heads * dim);
    var c = numbers(tokens * pairs);
    var t = numbers(tokens * pairs);
    var y = Simulate.launch(launch(new RopeOperator(), n)).in("X", x).in("C", c).in("T", t).out("Y", x.length).run()
        .requireClean().floats("Y");
    for (int i = 0; i < x.length; i++) {
      int angle = i / dim / heads * pairs + i % pairs;
      boolean isFirst = i % dim < pairs;
      double other = isFirst ? -x[i + pairs] : x[i - pairs];
      assertEquals((double) x[i] * c[angle] + other * t[angle], y[i], 1e-7, "element " + i);
    }
  }

  @Test
  void embeddingReadsTheLowerWordsOfIds() {
    int columns = 64;
    int[] ids = {3, -100, 8, 9, 0, 3, 1 << 30};
    var words = IntStream.of(ids).flatMap(id -> IntStream.of(id, id >> 31)).toArray();
    var table = numbers(9 * columns);
    var numbers = Map.of("M", (long) ids.length, "N", (long) columns, "V", 9L, "I_s", 2L, "W_s", (long) columns,
        "Y_s", (long) columns);
    var y = Simulate.launch(launch(PackageData.operators().stream().filter(o -> o.name().equals("embedding"))
        .findFirst().orElseThrow(), numbers)).in("I", words).in("W", table).out("Y", ids.length * columns).run()
        .requireClean().floats("Y");
    for (int i = 0; i < y.length; i++) {
      int id = ids[i / columns];
      assertEquals(id < 0 || id >= 9 ? 0 : table[id * columns + i % columns], y[i], "element " + i);
    }
  }
}
