package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.F32;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.FragmentRows;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMask;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernel.collective.attention.SeqlenInfo;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;

/** Masks and modifications of tiles S and Sᵀ beside their definition, element by element. */
class ScoreMaskTest {
  private static final int THREADS = 128;
  private static final int ROWS = WgmmaAtom.M;
  private static final int COLUMNS = 24;
  private static final int VALUES = ROWS * COLUMNS / THREADS;
  private static final int HEAD = 3;
  /** Lengths of queries and keys, the tile's first query and first key. */
  private static final List<int[]> PLACES = places();

  private record Form(Band band, boolean transposed, HeadPacking packing) {}

  /** Every band with every place of scores, or a sample that has each of both. */
  static List<Form> forms() {
    return LongSuite.of(Stream.of(false, true).flatMap(transposed -> Stream.of(HeadPacking.NONE, new HeadPacking(3, 4))
        .flatMap(packing -> bands().map(band -> new Form(band, transposed, packing)))).toList());
  }

  static Stream<Band> bands() {
    return Stream.of(Band.ALL, Band.CAUSAL, Band.window(5, 0), Band.window(0, 0), Band.window(30, 7),
        new Band(OptionalInt.of(9), OptionalInt.empty()), new Band(OptionalInt.empty(), OptionalInt.of(11)));
  }

  private static List<int[]> places() {
    var places = new ArrayList<int[]>();
    for (int queries : new int[] {1, 17, 64, 70}) {
      for (int keys : new int[] {0, 1, 24, 64, 100}) {
        for (int query : new int[] {0, 24, 64}) {
          for (int key : new int[] {0, 24, 64}) places.add(new int[] {queries, keys, query, key});
        }
      }
    }
    return places;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aBandHidesWhatItsDefinitionHides(Form form) {
    var seen = run(form, (k, thread, rows, place, sequence) -> new ScoreMask(form.band, sequence, rows)
        .apply(k, thread, place, IntStream.range(0, VALUES).mapToObj(_ -> k.constant(1f)).toList()));
    forEach(form, (at, queries, keys, q, h, key) -> {
      boolean free = form.transposed && q >= queries;
      if (!free) assertEquals(sees(form, queries, keys, q, key) ? 1 : Double.NEGATIVE_INFINITY, seen[at],
          () -> "query " + q + ", key " + key + " of " + queries + " and " + keys);
    });
  }

  @ParameterizedTest
  @MethodSource("forms")
  void functionsSeeTheQueryHeadAndKeyOfEachScore(Form form) {
    ScoreMod code = (score, b, h, q, k) -> q.times(1 << 12).plus(k.times(8)).plus(h).toF32().plus(score);
    MaskMod mask = (b, h, q, k) -> q.plus(k).modulo(5).atLeast(1);
    var modification = new Modification(Optional.of(code), Optional.of(mask));
    var changed = run(form, (k, thread, rows, place, sequence) -> modification.apply(k, thread, rows, k.constant(0.5f),
        place, false, IntStream.range(0, VALUES).mapToObj(_ -> k.constant(4f)).toList()));
    forEach(form, (at, queries, keys, q, h, key) -> assertEquals(
        (q + key) % 5 == 0 ? Double.NEGATIVE_INFINITY : 2 + h + 8 * key + (double) (1 << 12) * q, changed[at]));
  }

  /** The slope of score / (q − k) is infinite for q = k, which the mask hides: times P = 0 that were NaN. */
  @ParameterizedTest
  @MethodSource("forms")
  void whereScoresAreHiddenTheirGradientIsZero(Form form) {
    ScoreMod quotient = (score, b, h, q, k) -> score.dividedBy(q.minus(k).toF32());
    MaskMod others = (b, h, q, k) -> q.equalTo(k).not();
    var modification = new Modification(Optional.of(quotient), Optional.of(others));
    var slopes = run(form, (k, thread, rows, place, sequence) -> {
      var scores = IntStream.range(0, VALUES).mapToObj(_ -> k.constant(4f)).toList();
      var all = modification.sloped(k, thread, rows, k.constant(0.5f), place, false, scores);
      // A stand-in for P that is 0 where 2^score is.
      var ones = all.stream().map(s -> s.value().exp2().min(k.constant(0x1p-64f)).times(0x1p64f)).toList();
      var seen = new ScoreMask(form.band, sequence, rows).probabilities(k, thread, place, ones);
      return IntStream.range(0, VALUES).mapToObj(v -> all.get(v).gradient(seen.get(v).times(3))).toList();
    });
    forEach(form, (at, queries, keys, q, h, key) -> {
      boolean free = form.transposed && q >= queries;
      double exact = q == key || !sees(form, queries, keys, q, key) ? 0 : 3.0 / (q - key);
      if (!free) assertEquals(exact, slopes[at], 1e-6, () -> "query " + q + ", key " + key + " of " + keys);
    });
  }

  private static boolean sees(Form form, int queries, int keys, int q, int key) {
    long position = (long) q + keys - queries;
    return key < keys && (form.band.right().isEmpty() || key <= position + form.band.right().getAsInt())
        && (form.band.left().isEmpty() || key >= position - form.band.left().getAsInt());
  }

  private interface Body {
    List<F32> of(Scope k, I32 thread, FragmentRows rows, Modification.Place place,
        SeqlenInfo sequence);
  }

  private interface Visitor {
    void accept(int at, int queries, int keys, int query, int head, int key);
  }

  /** Every tile's elements, thread after thread. */
  private static double[] run(Form form, Body body) {
    int size = PLACES.size() * ROWS * COLUMNS;
    return new SmallKernel()
        .with("P", ElementType.I32, PLACES.stream().flatMapToInt(IntStream::of).asDoubleStream().toArray())
        .output("Y", ElementType.F32, size).run(PLACES.size(), k -> {
          var thread = k.block(THREADS);
          var numbers = IntStream.range(0, 4).mapToObj(i -> SmallKernel.element(k, "P", ElementType.I32,
              k.blockX().times(4).plus(i)).loadInteger(1 << 20)).toList();
          var sequence = SeqlenInfo.fixed(numbers.get(0), numbers.get(1));
          var place = new Modification.Place(k.constant(0), k.constant(HEAD), form.packing.rows(numbers.get(2)),
              numbers.get(3), form.packing);
          var values = body.of(k, thread, FragmentRows.of(WgmmaAtom.accumulators(COLUMNS)),
              form.transposed ? place.inTransposed() : place, sequence);
          var first = k.blockX().times(THREADS).plus(thread).times(VALUES);
          for (int value = 0; value < VALUES; value++) {
            SmallKernel.element(k, "Y", ElementType.F32, first.plus(value)).store(values.get(value));
          }
        }).values("Y");
  }

  /** Goes through the elements of all tiles in the order in which the kernel writes them. */
  private static void forEach(Form form, Visitor visitor) {
    var layout = WgmmaAtom.accumulators(COLUMNS).layout();
    for (int tile = 0; tile < PLACES.size(); tile++) {
      int[] place = PLACES.get(tile);
      for (int thread = 0; thread < THREADS; thread++) {
        for (int value = 0; value < VALUES; value++) {
          int index = Math.toIntExact(layout.apply(thread + (long) THREADS * value));
          int row = form.transposed ? index / ROWS : index % ROWS;
          int column = form.transposed ? index % ROWS : index / ROWS;
          int stride = form.packing.stride();
          visitor.accept((tile * THREADS + thread) * VALUES + value, place[0], place[1], place[2] + row / stride,
              HEAD + row % stride, place[3] + column);
        }
      }
    }
  }
}
