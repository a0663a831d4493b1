package tilewright.layout.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.layout.Dialect;
import tilewright.layout.Layout;

/** Every claim in a derivation is true of the functions, which are evaluated here from their definition. */
class DerivationProperties {
  private static final Pattern LEAF = Pattern.compile("leaf (\\d+):(\\d+): A at ([\\d,]+),?…? is ([\\d,]+),?…?, "
      + "that is (\\S+?)(, cut after (\\d+) where .*: A\\((\\d+)\\) is (\\d+), not (\\d+)·(\\d+))?");
  private static final Pattern DIGIT = Pattern.compile("digit (\\d+) of A, below (\\d+): .* = \\d+, "
      + "(no carry|carries (\\d+))");
  private static final Pattern RESULT = Pattern.compile("R = (\\S+), for .*");
  private static final Pattern WITNESS = Pattern.compile("witness: at \\S+, index (\\d+), (\\d+) is demanded and .*");

  @Property(tries = 400)
  void compositionsClaimWhatIsTrue(@ForAll("layouts") Layout a, @ForAll("layouts") Layout b) {
    var text = "composition(" + a + ", " + b + ")";
    int leaves = 0;
    for (var line : Explain.lines(text, Dialect.CUTE_CPP)) {
      var leaf = LEAF.matcher(line);
      if (leaf.matches()) {
        leaves++;
        requireLeaf(a, leaf);
      }
      var digit = DIGIT.matcher(line);
      if (digit.matches()) requireCarry(a.coalesceExtended(), b, digit);
      var result = RESULT.matcher(line);
      if (result.matches()) {
        for (long i = 0; i < b.size(); i++) assertEquals(at(a, at(b, i)), at(Layout.parse(result.group(1)), i), text);
      }
      var witness = WITNESS.matcher(line);
      if (witness.matches()) {
        assertEquals(at(a, at(b, Long.parseLong(witness.group(1)))), Long.parseLong(witness.group(2)), text);
      }
    }
    assertTrue(leaves > 0 || Expression.parse(text).explain().value().isEmpty(), text);
  }

  private static void requireLeaf(Layout a, Matcher leaf) {
    long extent = Long.parseLong(leaf.group(1));
    long stride = Long.parseLong(leaf.group(2));
    var indices = numbers(leaf.group(3));
    var values = numbers(leaf.group(4));
    assertEquals(Math.min(8, extent), indices.length);
    for (int i = 0; i < indices.length; i++) assertEquals(i * stride, indices[i]);
    for (int i = 0; i < indices.length; i++) assertEquals(at(a, indices[i]), values[i], leaf.group());
    var cut = Layout.parse(leaf.group(5));
    for (long i = 0; i < extent; i++) assertEquals(at(a, i * stride), at(cut, i), leaf.group());
    if (leaf.group(6) == null) return;
    long first = Long.parseLong(leaf.group(7));
    assertEquals(first * stride, Long.parseLong(leaf.group(8)));
    assertEquals(at(a, first * stride), Long.parseLong(leaf.group(9)));
    assertEquals(first, Long.parseLong(leaf.group(10)));
    assertEquals(at(a, stride), Long.parseLong(leaf.group(11)));
    for (long t = 0; t < first; t++) assertEquals(t * at(a, stride), at(a, t * stride), leaf.group());
    assertTrue(at(a, first * stride) != first * at(a, stride), leaf.group());
  }

  /** What the digits up to this one hold at b's last coordinate, beyond what they count to. */
  private static void requireCarry(Layout a, Layout b, Matcher line) {
    int digit = Integer.parseInt(line.group(1));
    long[] extents = a.flatShape();
    assertEquals(extents[digit], Long.parseLong(line.group(2)));
    long place = 1;
    for (int i = 0; i <= digit; i++) place *= extents[i];
    long sum = 0;
    for (int i = 0; i < b.rank(); i++) {
      long stride = b.flatStride()[i];
      var pieces = a.composition(Layout.of(b.flatShape()[i], stride)).flatShape();
      for (long extent : pieces) {
        sum += (extent - 1) * (stride % place);
        stride *= extent;
      }
    }
    assertEquals(sum / place, line.group(4) == null ? 0 : Long.parseLong(line.group(4)), line.group());
  }

  private static long[] numbers(String list) {
    return Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
  }

  /** Colexicographic, the last mode unbounded. */
  private static long at(Layout layout, long index) {
    long[] extents = layout.flatShape();
    long[] strides = layout.flatStride();
    long sum = 0;
    for (int i = 0; i < extents.length; i++) {
      boolean last = i == extents.length - 1;
      sum += (last ? index : index % extents[i]) * strides[i];
      index /= extents[i];
    }
    return sum;
  }

  @Provide
  Arbitrary<Layout> layouts() {
    var mode = Arbitraries.longs().between(1, 12).flatMap(extent ->
        Arbitraries.longs().between(0, 12).map(stride -> Layout.of(extent, stride)));
    return mode.list().ofMinSize(1).ofMaxSize(3).map(Layout::of);
  }
}
