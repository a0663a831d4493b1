package tilewright.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Layouts through facts, against an enumeration of all small layouts. */
class FactSynthesisTest {
  private static final List<long[]> CHAINS =
      List.of(new long[] {8}, new long[] {2, 4}, new long[] {4, 2}, new long[] {2, 2, 2}, new long[] {3, 3},
          new long[] {2, 3, 2}, new long[] {3, 2, 2}, new long[] {5, 2}, new long[] {7, 2}, new long[] {6, 2});
  private static final int WIDEST = 8;

  @Test
  void findsALayoutExactlyWhereTheEnumerationDoes() {
    var random = new Random(1);
    int found = 0;
    for (int trial = 0; trial < 400; trial++) {
      var facts = new TreeMap<Long, Long>();
      for (long index = 1; index < 8; index++) {
        if (random.nextInt(3) > 0) facts.put(index, (long) random.nextInt(4));
      }
      var ours = FactSynthesis.of(facts);
      assertEquals(someLayoutHas(facts), ours.isPresent(), facts::toString);
      ours.ifPresent(layout -> facts.forEach((index, offset) -> assertEquals(offset, layout.apply(index))));
      if (ours.isPresent()) found++;
    }
    assertTrue(found > 50 && found < 350, "both answers occur: " + found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(2,3):(3,2)", "(3,8):(22,3)", "(4,2):(7,3)", "(6,3):(27,26)", "((8,8)):((35,39))"})
  void invertsInjectiveLayoutsOffTheDivisibleChain(String text) {
    var layout = Layout.parse(text);
    var inverse = FactSynthesis.of(inverseOf(layout)).orElseThrow();
    for (long i = 0; i < layout.size(); i++) assertEquals(i, inverse.apply(layout.apply(i)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"(4,12):(8,10)", "(8,16):(27,7)", "((6,7)):((24,28))"})
  void refusesWhatNoChainOfPrimesGives(String text) {
    assertEquals(Optional.empty(), FactSynthesis.of(inverseOf(Layout.parse(text))));
  }

  @Test
  void withoutFactsAnyLayoutWillDo() {
    assertEquals(Optional.of(Layout.of(1, 0)), FactSynthesis.of(new TreeMap<>()));
  }

  private static SortedMap<Long, Long> inverseOf(Layout layout) {
    var facts = new TreeMap<Long, Long>();
    for (long i = 0; i < layout.size(); i++) facts.put(layout.apply(i), i);
    return facts;
  }

  private static boolean someLayoutHas(SortedMap<Long, Long> facts) {
    return CHAINS.stream().anyMatch(extents -> someStridesFit(extents, new long[extents.length], 0, facts));
  }

  private static boolean someStridesFit(long[] extents, long[] strides, int mode, SortedMap<Long, Long> facts) {
    if (mode == extents.length) {
      return facts.entrySet().stream().allMatch(fact -> offset(extents, strides, fact.getKey()) == fact.getValue());
    }
    for (long stride = -WIDEST; stride <= WIDEST; stride++) {
      strides[mode] = stride;
      if (someStridesFit(extents, strides, mode + 1, facts)) return true;
    }
    return false;
  }

  private static long offset(long[] extents, long[] strides, long index) {
    long sum = 0;
    for (int i = 0; i < extents.length; i++) {
      sum += index % extents[i] * strides[i];
      index /= extents[i];
    }
    return sum;
  }
}
