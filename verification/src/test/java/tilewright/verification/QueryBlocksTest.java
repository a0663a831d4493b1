package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.QueryBlocks;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.numerics.ElementType;

/** The blocks of queries of a tile of keys beside a search through all of their queries and keys. */
class QueryBlocksTest {
  private static final int THREADS = 128;
  private static final int LONGEST = 21;
  private static final int MOST_BLOCKS = 8;
  private static final int UNMASKED = 1;
  private static final int MASKED = 2;

  private record Form(Band band, int tileM, int tileN) {}

  static Stream<Form> forms() {
    return ScoreMaskTest.bands().flatMap(band -> Stream.of(new Form(band, 4, 4), new Form(band, 3, 8),
        new Form(band, 8, 3)));
  }

  /** Lengths of queries and keys and the tile's first key, also behind the last key. */
  private static List<int[]> places(int tileN) {
    var places = new ArrayList<int[]>();
    for (int queries = 0; queries <= LONGEST; queries++) {
      for (int keys = 0; keys <= LONGEST; keys++) {
        for (int key = 0; key <= keys; key += tileN) places.add(new int[] {queries, keys, key});
      }
    }
    return places;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void exactlyTheBlocksThatSeeAKeyAreVisitedAndThoseThatDoNotSeeAllAreMasked(Form form) {
    var places = places(form.tileN);
    int blocks = Math.ceilDiv(places.size(), THREADS);
    while (places.size() < blocks * THREADS) places.add(places.getFirst());
    var run = new SmallKernel()
        .with("P", ElementType.I32, places.stream().flatMapToInt(IntStream::of).asDoubleStream().toArray())
        .with("Y", ElementType.I32, new double[places.size() * MOST_BLOCKS])
        .output("Z", ElementType.I32, places.size()).run(blocks, k -> {
          var i = k.block(THREADS).plus(k.blockX().times(THREADS));
          var numbers = IntStream.range(0, 3).mapToObj(n -> SmallKernel.element(k, "P", ElementType.I32,
              i.times(3).plus(n)).loadInteger(1 << 20)).toList();
          var here = QueryBlocks.of(form.band, SeqlenInfo.fixed(numbers.get(0), numbers.get(1)), numbers.get(2),
              form.tileM, form.tileN);
          k.loop(here.first(), here.end(), 1, m -> SmallKernel.element(k, "Y", ElementType.I32,
              i.times(MOST_BLOCKS).plus(m)).atomicAdd(k.constant(MASKED).where(here.masked(m), UNMASKED)));
          SmallKernel.element(k, "Z", ElementType.I32, i).store(here.end().minus(here.first()));
        });
    for (int i = 0; i < places.size(); i++) {
      int[] place = places.get(i);
      int count = 0;
      for (int m = 0; m < MOST_BLOCKS; m++) {
        int expected = kind(form, place[0], place[1], place[2], m);
        var text = form + ", " + place[0] + " queries, " + place[1] + " keys from " + place[2] + ", block " + m;
        assertEquals(expected, run.integer("Y", i * MOST_BLOCKS + m), text);
        if (expected != 0) count++;
      }
      assertEquals(count, run.integer("Z", i));
    }
  }

  private static int kind(Form form, int queries, int keys, int firstKey, int block) {
    int seen = 0;
    int pairs = 0;
    for (int q = block * form.tileM; q < Math.min((block + 1) * form.tileM, queries); q++) {
      for (int key = firstKey; key < firstKey + form.tileN; key++) {
        int position = q + keys - queries;
        pairs++;
        if (key < keys && (form.band.right().isEmpty() || key <= position + form.band.right().getAsInt())
            && (form.band.left().isEmpty() || key >= position - form.band.left().getAsInt())) seen++;
      }
    }
    return seen == 0 ? 0 : seen == pairs ? UNMASKED : MASKED;
  }
}
