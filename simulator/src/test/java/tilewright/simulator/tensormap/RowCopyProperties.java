package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import tilewright.ptx.tensormap.TensorMapRules;

/** Rows, images and swizzles against the definition of each element. */
class RowCopyProperties {
  private static final byte BACKGROUND = (byte) 0xA5;
  /** Room for the largest box, whose rows a swizzle spreads. */
  private static final int SHARED = 1 << 16;
  private static final byte[] TENSORS = new byte[1 << 19];

  static {
    new Random(3).nextBytes(TENSORS);
  }

  @Provide
  Arbitrary<TmaCase> loads() {
    return TmaArbitraries.loads();
  }

  @Provide
  Arbitrary<TmaCase> stores() {
    return TmaArbitraries.stores();
  }

  @Property
  void loadsPutEveryElementInItsPlace(@ForAll("loads") TmaCase c) {
    assertEquals(List.of(), TensorMapRules.violations(c.map(), c.tensor(), 100));
    var descriptor = TensorDescriptor.of(c.map(), c.tensor());
    var format = CopyFormat.of(descriptor);
    var region = new byte[SHARED];
    Arrays.fill(region, BACKGROUND);
    int bytes = 0;
    for (var row : rows(c, descriptor)) {
      var image = RowCopy.image(format, row, TENSORS, (int) (c.tensor() + row.global()));
      RowCopy.scatter(format, row, image, region, c.shared());
      bytes += format.globalBytes(row.bytes());
    }
    assertEquals(c.bytes(), bytes, "bytes that the mbarrier is told of");
    var defined = new BitSet();
    var expected = new TmaDefinition(c).loaded(TENSORS, BACKGROUND, region.length, defined);
    for (int k = 0; k < expected.length; k++) {
      if (defined.get(k)) assertEquals(expected[k], region[k], "byte " + k + " of the region");
    }
  }

  @Property
  void storesPutEveryElementIntoTheTensor(@ForAll("stores") TmaCase c) {
    assertEquals(List.of(), TensorMapRules.violations(c.map(), c.tensor(), 100));
    var descriptor = TensorDescriptor.of(c.map(), c.tensor());
    var format = CopyFormat.of(descriptor);
    var shared = Arrays.copyOf(TENSORS, SHARED);
    var tensor = new byte[TENSORS.length];
    for (var row : rows(c, descriptor)) {
      var content = RowCopy.content(format, row.stored(), RowCopy.gather(format, row, shared, c.shared()));
      System.arraycopy(content, 0, tensor, (int) (c.tensor() + row.global()), content.length);
    }
    var expected = new byte[TENSORS.length];
    new TmaDefinition(c).stored(shared, expected);
    assertEquals(-1, Arrays.mismatch(expected, tensor), "first byte that differs");
  }

  private static List<BoxRow> rows(TmaCase c, TensorDescriptor descriptor) {
    return BoxTraversal.rows(descriptor, c.mode(), array(c.coordinates()), array(c.offsets()));
  }

  private static int[] array(List<Integer> numbers) {
    return numbers.stream().mapToInt(Integer::intValue).toArray();
  }

  @Property(tries = 200)
  void piecesOfRowsAreTheRows(@ForAll("loads") TmaCase c, @ForAll long seed) {
    var rows = rows(c, TensorDescriptor.of(c.map(), c.tensor()));
    var random = new Random(seed);
    assertEquals(rows, BoxRow.pieces(rows, random).stream().flatMap(List::stream).toList());
  }

  @Property(tries = 200)
  void contiguousBytesAreCutAtMultiplesOfSixteen(@ForAll @IntRange(max = 300) int units, @ForAll long seed) {
    int at = 0;
    for (var row : BoxRow.contiguous(16 * units, new Random(seed))) {
      assertEquals(BoxRow.of(at, row.bytes(), at), row);
      assertEquals(0, row.bytes() % 16);
      at += row.bytes();
    }
    assertEquals(16 * units, at);
  }

  @Property(tries = 300)
  void whatIsEncodedIsDecoded(@ForAll("loads") TmaCase c) {
    var descriptor = TensorDescriptor.of(c.map(), c.tensor());
    var bytes = new byte[3 * TensorMapBytes.SIZE];
    System.arraycopy(TensorMapBytes.encode(descriptor), 0, bytes, TensorMapBytes.SIZE, TensorMapBytes.SIZE);
    assertEquals(TensorMapDraft.of(descriptor), TensorMapBytes.decode(bytes, TensorMapBytes.SIZE).orElseThrow());
    bytes[0] = 1;
    assertEquals(true, TensorMapBytes.decode(bytes, 0).isEmpty());
  }
}
