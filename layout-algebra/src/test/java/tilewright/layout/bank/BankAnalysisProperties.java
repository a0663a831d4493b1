package tilewright.layout.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** Counts against a byte-by-byte simulation of 32 banks of four bytes, and closed forms against counts. */
class BankAnalysisProperties {
  private static final BankGeometry MEMORY = BankGeometry.SHARED_MEMORY;

  /** The most distinct words of any bank, byte by byte. */
  private static int simulated(List<Long> firstBytes, int accessBytes) {
    var words = new HashMap<Long, Set<Long>>();
    for (long first : firstBytes) {
      for (var at = first; at < first + accessBytes; at++) {
        words.computeIfAbsent(at / 4 % 32, _ -> new HashSet<>()).add(at / 4);
      }
    }
    return words.values().stream().mapToInt(Set::size).max().orElseThrow();
  }

  @Property
  void everyPhaseTakesAsManyWavefrontsAsItsBusiestBankHasWords(
      @ForAll @Size(min = 1, max = 32) List<@LongRange(min = 0, max = 300) Long> chunks,
      @ForAll @IntRange(min = 0, max = 4) int logBytes) {
    var bytes = 1 << logBytes;
    var memory = Layout.of(301, bytes);
    var analysis = BankAnalysis.of(memory, 1, new AccessPattern("random", chunks, bytes));
    var together = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
    assertEquals(Math.ceilDiv(chunks.size(), together), analysis.phases().size());
    for (var phase : analysis.phases()) {
      var lanes = chunks.subList(phase.firstLane(), phase.firstLane() + phase.lanes());
      var addresses = lanes.stream().map(chunk -> chunk * bytes).toList();
      assertEquals(simulated(addresses, bytes), phase.wavefronts());
      phase.conflict().ifPresent(conflict -> check(conflict, chunks, bytes, phase));
    }
  }

  private static void check(BankConflict conflict, List<Long> chunks, int bytes, AccessPhase phase) {
    assertEquals(phase.wavefronts(), Set.copyOf(conflict.words()).size());
    for (var i = 0; i < conflict.words().size(); i++) {
      var word = conflict.words().get(i);
      assertEquals(conflict.bank(), word % 32);
      var first = chunks.get(conflict.lanes().get(i)) * bytes;
      assertTrue(first / 4 <= word && word <= (first + bytes - 1) / 4, "the lane wants the word");
    }
  }

  @Property
  void aConstantStrideConflictsByItsCommonDivisorWithTheBanks(@ForAll @IntRange(min = -300, max = 300) int words,
      @ForAll @IntRange(min = 1, max = 32) int lanes) {
    var bytes = LongStream.range(0, lanes).map(lane -> (lane * words + 10_000) * 4).boxed().toList();
    assertEquals(simulated(bytes, 4), BankDegree.stride(lanes, words, MEMORY));
    var whole = words == 0 ? 1 : BigInteger.valueOf(words).gcd(BigInteger.valueOf(32)).intValue();
    assertEquals(whole, BankDegree.stride(32, words, MEMORY));
  }

  @Property
  void linearAddressesConflictByTheRankThatTheBanksLose(
      @ForAll @Size(min = 0, max = 5) List<@LongRange(min = 0, max = 1023) Long> columns,
      @ForAll @LongRange(min = 0, max = 1023) long origin, @ForAll @IntRange(min = 0, max = 4) int logBytes) {
    var access = 1 << logBytes;
    var usable = columns.subList(0, Math.min(columns.size(), logBytes > 2 ? 7 - logBytes : 5));
    var bytes = new ArrayList<Long>();
    for (var lane = 0; lane < 1 << usable.size(); lane++) {
      var at = origin * access;
      for (var bit = 0; bit < usable.size(); bit++) if ((lane >> bit & 1) == 1) at ^= usable.get(bit) * access;
      bytes.add(at);
    }
    assertEquals(simulated(bytes, access), BankDegree.linear(bytes, access, MEMORY).orElseThrow());
  }

  @Example
  void addressesThatAreNotLinearHaveNoSuchForm() {
    assertTrue(BankDegree.linear(List.of(0L, 4L, 8L, 16L), 4, MEMORY).isEmpty());
    assertTrue(BankDegree.linear(List.of(0L, 4L, 8L), 4, MEMORY).isEmpty());
  }

  @Example
  void lanesThatReadOneWordAreServedAtOnce() {
    var analysis = BankAnalysis.of(Layout.of(32, 0), 4, AccessPattern.of("broadcast", Layout.of(32, 1), 4));
    assertEquals(1, analysis.wavefronts());
    assertTrue(analysis.conflictFree());
  }

  /** Rows of 128 bytes: a column of chunks lies in one bank group, until the swizzle spreads it. */
  @Example
  void theSwizzleSpreadsTheRowsOfLdmatrixOverAllBanks() {
    var rows = Layout.parse("(64,64):(64,1)");
    var swizzled = new ComposedLayout(new Swizzle(3, 3, 3), 0, rows);
    for (var count : List.of(1, 2, 4)) {
      assertEquals(8 * count, BankAnalysis.of(rows, 2, AccessPattern.matrices(rows, count, 2)).wavefronts());
      assertEquals(count, BankAnalysis.of(swizzled, 2, AccessPattern.matrices(swizzled, count, 2)).wavefronts());
    }
  }

  /** PTX ISA: lanes 0–7 address the rows of the first matrix, 8–15 of the second, and so on. */
  @Example
  void ldmatrixAddressesRowsOfEightElements() {
    var rows = AccessPattern.matrices(Layout.parse("(16,16):(16,1)"), 4, 2);
    for (var lane = 0; lane < 32; lane++) {
      assertEquals(lane % 16 + (lane < 16 ? 0 : 8) * 16, rows.indices().get(lane));
    }
    var columns = AccessPattern.matrices(Layout.parse("(16,8):(1,16)"), 2, 2);
    for (var lane = 0; lane < 16; lane++) assertEquals(lane % 8 * 16 + lane / 8 * 8, columns.indices().get(lane));
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(Layout.parse("(4,8):(8,1)"), 1, 2));
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(Layout.parse("(8,8):(8,1)"), 2, 2));
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.matrices(Layout.parse("(8,8):(8,1)"), 3, 2));
  }

  @Example
  void aMisalignedLaneIsNamed() {
    var e = assertThrows(IllegalArgumentException.class, () -> BankAnalysis.of(Layout.of(8, 1), 4,
        AccessPattern.of("odd", Layout.of(4, 1), 8)));
    assertEquals("lane 1 accesses 8 bytes at byte 4, which is no multiple of 8", e.getMessage());
    var none = assertThrows(IllegalArgumentException.class,
        () -> AccessPattern.along(Layout.parse("(8,8):(2,16)"), 0, 4, 8));
    assertTrue(none.getMessage().contains("has 2 neighbouring elements"), none.getMessage());
  }

  @Property
  void theWidestVectorIsTheLargestThatEveryThreadCanTake(@ForAll @IntRange(min = 0, max = 3) int logStride,
      @ForAll @IntRange(min = 1, max = 12) int threadStride, @ForAll @IntRange(min = 0, max = 2) int logBytes) {
    var memory = Layout.of(4096, 1);
    var layout = Layout.parse("(8,(2,4)):(" + threadStride + ",(1," + (1 << logStride) + "))");
    var bytes = 1 << logBytes;
    var widest = VectorAccess.widest(layout, memory, bytes);
    for (var values = 1; values <= 16; values *= 2) {
      assertEquals(values <= widest.values(), legal(layout, memory, bytes, values), values + ": " + widest);
    }
    assertEquals(widest.values() * bytes, widest.bytes());
  }

  private static boolean legal(Layout layout, OffsetMap memory, int bytes, int values) {
    if (values * bytes > 16 || 8 % values != 0) return false;
    for (var thread = 0; thread < 8; thread++) {
      for (var value = 0; value < 8; value++) {
        var first = memory.apply(layout.apply(value / values * values * 8 + thread));
        var here = memory.apply(layout.apply(value * 8 + thread));
        if (first * bytes % (values * bytes) != 0 || here != first + value % values) return false;
      }
    }
    return true;
  }

  @Example
  void sectorsAreThirtyTwoBytesAndLinesFour() {
    var warp = Layout.of(32, 1);
    var memory = Layout.of(4096, 1);
    assertEquals(new SectorCount(4, 4, 1), SectorCount.of(memory, 4, AccessPattern.of("row", warp, 4)));
    assertEquals(new SectorCount(16, 16, 4), SectorCount.of(Layout.of(4096, 4), 4, AccessPattern.of("16", warp, 16)));
    assertEquals(new SectorCount(32, 4, 32),
        SectorCount.of(Layout.of(4096, 32), 4, AccessPattern.of("column", warp, 4)));
    assertEquals(new SectorCount(1, 1, 1), SectorCount.of(Layout.of(4096, 0), 4, AccessPattern.of("one", warp, 4)));
  }

  @Example
  void threadValueLayoutsAccessByWarpAndVector() {
    var patterns = AccessPattern.ofThreadValues(Layout.parse("(64,(2,2)):(2,(1,128))"), 2, 4);
    assertEquals(List.of("warp 0, value 0", "warp 0, value 2", "warp 1, value 0", "warp 1, value 2"),
        patterns.stream().map(AccessPattern::name).toList());
    assertEquals(2L * 32 + 128, patterns.getLast().indices().getFirst());
    assertEquals(8, patterns.getFirst().accessBytes());
    assertThrows(IllegalArgumentException.class, () -> AccessPattern.ofThreadValues(Layout.parse("(4,3):(3,1)"), 2, 4));
  }
}
