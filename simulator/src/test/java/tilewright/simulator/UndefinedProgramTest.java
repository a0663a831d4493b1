package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tilewright.simulator.UndefinedProgram.Bits;

/** Random programs: the sanitizer reports what an interpreter of its own calls undefined, no more and no less. */
class UndefinedProgramTest {
  private static final int LANES = 32;
  private static final int FILLS = 4;
  private static final int LENGTH = 24;
  /** Words that a lane has in a tile, and which of their halves it writes. */
  private static final String LOADS = """
      .shared .align 4 .b8 tile[256];
      mov.u32 %r20, tile;
      mad.lo.u32 %r20, %t, 8, %r20;
      and.b32 %r21, %t, 1;
      setp.ne.u32 %q5, %r21, 0;
      and.b32 %r21, %t, 2;
      setp.ne.u32 %q6, %r21, 0;
      and.b32 %r21, %t, 4;
      setp.ne.u32 %q7, %r21, 0;
      mad.lo.u32 %r22, %t, 0x9E3779B1, 12345;
      shr.u32 %r23, %r22, 16;
      @%q5 st.shared.u16 [%r20], %r22;
      @%q6 st.shared.u16 [%r20+2], %r23;
      @%q7 st.shared.u32 [%r20+4], %t;
      add.s64 %l9, %p0, %t4;
      ld.shared.v2.u32 {%r0, %r1}, [%r20];
      mov.u32 %r2, %t;
      mov.u32 %r3, 0xFFFF;
      mov.u32 %r4, 0;
      mov.u32 %r5, %r22;
      """;

  private static Bits[] inputs(int lane) {
    int mixed = lane * 0x9E3779B1 + 12345;
    int half = ((lane & 1) != 0 ? 0 : 0xFFFF) | ((lane & 2) != 0 ? 0 : 0xFFFF_0000);
    return new Bits[] {new Bits(mixed & ~half, half), (lane & 4) != 0 ? new Bits(lane, 0) : new Bits(0, -1),
        new Bits(lane, 0), new Bits(0xFFFF, 0), new Bits(0, 0), new Bits(mixed, 0)};
  }

  private static void check(long seed) {
    var random = new Random(seed);
    var program = new UndefinedProgram(random, LENGTH);
    var expected = new TreeMap<String, Integer>();
    var ends = new ArrayList<String>();
    for (int k = 0; k < UndefinedProgram.WORDS; k++) ends.add("st.global.u32 [%l9+" + 128 * (k + 1) + "], %r" + k);
    for (int k = 0; k < UndefinedProgram.PREDICATES; k++) ends.add("@%q" + k + " bra L" + k);
    for (int lane = 0; lane < LANES; lane++) {
      var result = program.run(inputs(lane));
      requireSound(program, inputs(lane), result, random, seed);
      for (int k = 0; k < ends.size(); k++) if (result[k].unknown() != 0) expected.merge(ends.get(k), 1, Integer::sum);
    }
    var text = new StringBuilder(LOADS).append(program.text());
    for (int k = 0; k < ends.size(); k++) {
      text.append(ends.get(k)).append(";\n");
      if (k >= UndefinedProgram.WORDS) text.append("L").append(k - UndefinedProgram.WORDS).append(":\n");
    }
    var findings = Kernels.run(Kernels.kernel(1, text.toString()), LANES, Kernels.SANITIZED,
        new int[LANES * (UndefinedProgram.WORDS + 1)]).findings();
    assertEquals(expected, counts(findings), "seed " + seed + "\n" + program.text());
  }

  /** However the unknown bits of the inputs are filled, known bits of the result are the same. */
  private static void requireSound(UndefinedProgram program, Bits[] inputs, Bits[] result, Random random, long seed) {
    for (int n = 0; n < FILLS; n++) {
      var filled = new Bits[inputs.length];
      for (int k = 0; k < filled.length; k++) filled[k] = new Bits(inputs[k].fill(random).value(), 0);
      var other = program.run(filled);
      for (int k = 0; k < result.length; k++) {
        assertEquals(0, (other[k].value() ^ result[k].value()) & ~result[k].unknown(), "register " + k + " of seed "
            + seed + "\n" + program.text());
      }
    }
  }

  private static Map<String, Integer> counts(List<Finding> findings) {
    var counts = new TreeMap<String, Integer>();
    for (var f : findings) {
      assertEquals(Finding.Kind.UNINITIALIZED_READ, f.kind(), f.toString());
      counts.merge(f.text(), (int) f.count(), Integer::sum);
    }
    return counts;
  }

  @Test
  void exactlyUndefinedBitsAreReported() {
    for (long seed = 0; seed < 60; seed++) check(seed);
  }

  @Test
  @Tag("fuzz")
  void exactlyUndefinedBitsOfManyProgramsAreReported() {
    long first = System.nanoTime();
    for (long seed = first; seed < first + 20_000; seed++) check(seed);
  }
}
