package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** One mistake is one finding, whose advice mends all that it covers. */
class FindingCausesTest {
  private static final String FILES = ".file 1 \"Tile.java\"\n.file 2 \"tile.cu\"";

  /** r11: this thread's word of the tile; r12: its neighbour's; r13: that of the same lane of the other warp. */
  private static final String TILE = """
      .shared .align 16 .b8 tile[1024];
      mov.u32 %r10, tile;
      shl.b32 %r9, %t, 2;
      add.u32 %r11, %r9, %r10;
      xor.b32 %r12, %r11, 4;
      xor.b32 %r13, %r11, 128;
      """;

  private static String loc(int file, int line) {
    return ".loc " + file + " " + line + " 1\n";
  }

  private static List<Finding> findings(int threads, String... body) {
    var ptx = Kernels.kernel("sm_80", 1, FILES, TILE + String.join("", body));
    return Kernels.run(ptx, threads, Kernels.SANITIZED.withThreads(1), new int[1024]).findings();
  }

  private static Finding only(List<Finding> findings) {
    assertEquals(1, findings.size(), findings.toString());
    return findings.getFirst();
  }

  /** Statements with one offset for each unrolled step. */
  private static String unrolled(int steps, String statement) {
    return IntStream.range(0, steps).mapToObj(i -> statement.replace("OFFSET", "" + 256 * i) + "\n")
        .collect(Collectors.joining());
  }

  /** The first conflict is within a warp, since the other warp comes later. */
  @Test
  void theAdviceForThreadsOfSeveralWarpsIsABarrierOfTheBlock() {
    var found = findings(64, loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6),
        "ld.shared.u32 %r0, [%r12];\nld.shared.u32 %r1, [%r13];\n");
    var race = only(found);
    assertEquals("put k.barrier() between Tile.java:5 and Tile.java:6", race.fix());
    assertTrue(race.message().contains("of the same block (warp "), race.message());
  }

  @Test
  void unrolledAccessesOfTwoLinesAreOneFinding() {
    var found = findings(64, loc(1, 5), unrolled(4, "st.shared.u32 [%r11+OFFSET], %t;"), loc(1, 6),
        unrolled(4, "ld.shared.u32 %r0, [%r13+OFFSET];"));
    var race = only(found);
    assertEquals(Finding.Kind.RACE, race.kind());
    assertEquals(4 * 64, race.count());
    assertTrue(race.message().contains("(the first of 4 such pairs of instructions)"), race.message());
  }

  @Test
  void twoTilesThatOneBarrierWouldGuardAreOneFinding() {
    var found = findings(64, loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6), "st.shared.u32 [%r11+256], %t;\n",
        loc(1, 8), "ld.shared.u32 %r0, [%r13];\n", loc(1, 9), "ld.shared.u32 %r1, [%r13+256];\n");
    var race = only(found);
    assertEquals("put k.barrier() between Tile.java:6 and Tile.java:8", race.fix());
    var also = Stream.of("Tile.java:5 and Tile.java:8", "Tile.java:6 and Tile.java:9")
        .filter(pair -> race.message().contains("; also between " + pair)).toList();
    assertEquals(1, also.size(), race.message());
  }

  @Test
  void twoMissingBarriersAreTwoFindings() {
    var found = findings(64, loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6), "ld.shared.u32 %r0, [%r13];\n",
        loc(1, 8), "st.shared.u32 [%r11+256], %t;\n", loc(1, 9), "ld.shared.u32 %r1, [%r13+256];\n");
    assertEquals(List.of("put k.barrier() between Tile.java:5 and Tile.java:6",
        "put k.barrier() between Tile.java:8 and Tile.java:9"), found.stream().map(Finding::fix).toList());
  }

  @Test
  void lanesOfOneWarpNeedOnlyAWarpBarrier() {
    var race = only(findings(32, loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6), "ld.shared.u32 %r0, [%r12];\n"));
    assertEquals("put k.warpBarrier() between Tile.java:5 and Tile.java:6, or let one lane do both", race.fix());
  }

  @Test
  void cudaAndPlainPtxAreToldOfTheirOwnBarriers() {
    var store = "st.shared.u32 [%r11], %t;\n";
    var load = "ld.shared.u32 %r0, [%r13];\n";
    var cuda = only(findings(64, loc(2, 5), store, loc(2, 6), load));
    assertTrue(cuda.fix().startsWith("put __syncthreads() (bar.sync) between tile.cu:5 and tile.cu:6"), cuda.fix());
    var plain = only(findings(64, store, load));
    assertTrue(plain.fix().matches("put __syncthreads\\(\\) \\(bar.sync\\) between line \\d+ and line \\d+;.*"),
        plain.fix());
  }

  /** The words that a warp reads too early nobody has written: the same mistake. */
  @Test
  void aReadThatComesTooEarlyIsPartOfTheRace() {
    var body = new String[] {loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6), "ld.shared.u32 %r0, [%r13];\n",
        loc(1, 7), "add.s64 %l0, %p0, %t4;\nst.global.u32 [%l0], %r0;\n"};
    var race = only(findings(64, body));
    assertEquals(Finding.Kind.RACE, race.kind());
    assertTrue(race.message().contains("reads there also found bytes that nobody had written yet"), race.message());
    body[1] += "bar.sync 0;\n";
    assertEquals(List.of(), findings(64, body));
  }

  /** Several uses of what one load found are one mistake. */
  @Test
  void usesOfOneUnwrittenValueAreOneFinding() {
    var found = only(findings(32, loc(1, 5), "ld.shared.u32 %r0, [%r11];\n", "add.s64 %l0, %p0, %t4;\n", loc(1, 6),
        "st.global.u32 [%l0], %r0;\n", loc(1, 7), "st.global.u32 [%l0+128], %r0;\n"));
    assertEquals(Finding.Kind.UNINITIALIZED_READ, found.kind());
    assertTrue(found.message().contains("Tile.java:5"), found.message());
  }

  /** Atomic operations and plain reads of shared memory are kept apart by a barrier, not by a flag. */
  @Test
  void atomicOperationsOfABlockAreHandedOverByABarrier() {
    var race = only(findings(64, loc(1, 4), "st.shared.u32 [%r11], %t;\nbar.sync 0;\n", loc(1, 5),
        "red.shared.add.u32 [%r11], 1;\n", loc(1, 6), "ld.shared.u32 %r0, [%r13];\n"));
    assertEquals("put k.barrier() between Tile.java:5 and Tile.java:6", race.fix());
  }

  @Test
  void theTextBeginsWithTheLineOfTheSource() {
    var text = only(findings(64, loc(1, 5), "st.shared.u32 [%r11], %t;\n", loc(1, 6), "ld.shared.u32 %r0, [%r13];\n"))
        .toString();
    assertTrue(text.startsWith("RACE at Tile.java:"), text);
    assertFalse(text.contains("__sync"), text);
  }
}
