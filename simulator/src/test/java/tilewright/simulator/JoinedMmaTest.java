package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Neighbouring {@code mma} that may run as one, against the same with something between them. */
class JoinedMmaTest {
  private static final List<String> A = List.of("{%r0,%r1,%r2,%r3}", "{%r3,%r2,%r1,%r0}", "{%r1,%r0,%r3,%r2}",
      "{%r2,%r3,%r0,%r1}", "{%r4,%r5,%r0,%r1}");
  private static final int RESULTS = 16;
  private static final int INPUTS = 10 + RESULTS;

  /** Loads A, three fragments of B and four accumulators, multiplies, and stores the accumulators. */
  private static int[] run(String multiplications) {
    var body = new StringBuilder("mul.lo.u32 %r60, %t, 104;\ncvt.u64.u32 %l0, %r60;\nadd.s64 %l0, %l0, %p0;\n");
    for (int k = 0; k < INPUTS; k++) {
      body.append("ld.global.").append(k < 10 ? "u32 %r" : "f32 %f").append(k).append(", [%l0+").append(4 * k)
          .append("];\n");
    }
    body.append(multiplications);
    body.append("mul.lo.u32 %r60, %t, 64;\ncvt.u64.u32 %l1, %r60;\nadd.s64 %l1, %l1, %p1;\n");
    for (int k = 0; k < RESULTS; k++) {
      body.append("st.global.f32 [%l1+").append(4 * k).append("], %f").append(10 + k).append(";\n");
    }
    var random = new Random(1);
    int[] in = random.ints(32 * INPUTS).map(_ -> 0x3C00_3C00 | random.nextInt() & 0x83FF_83FF).toArray();
    int[] out = new int[32 * RESULTS];
    assertEquals(List.of(),
        Kernels.run(Kernels.kernel(2, body.toString()), 32, Kernels.PLAIN, in, out).findings());
    return out;
  }

  /** D and C are accumulators 0 to 3, B one of three fragments. */
  private static String mma(int d, int b, int c) {
    return mma(d, 0, b, c);
  }

  private static String mma(int d, int a, int b, int c) {
    return "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + quad(d) + ", " + A.get(a) + ", {%r" + (4 + 2 * b) + ",%r"
        + (5 + 2 * b) + "}, " + quad(c) + ";\n";
  }

  private static String quad(int accumulator) {
    int first = 10 + 4 * accumulator;
    return "{%f" + first + ",%f" + (first + 1) + ",%f" + (first + 2) + ",%f" + (first + 3) + "}";
  }

  private static void assertSame(String... multiplications) {
    // What stands between two of them keeps them from being joined.
    assertArrayEquals(run(String.join("st.global.u32 [%l0], %r0;\n", multiplications)),
        run(String.join("", multiplications)));
  }

  @Test
  void independentOnesGiveWhatTheyGiveAlone() {
    assertSame(mma(0, 0, 0), mma(1, 1, 1), mma(2, 2, 2));
  }

  @Test
  void oneMayReadTheResultOfTheOneBefore() {
    assertSame(mma(0, 0, 0), mma(0, 1, 0), mma(1, 2, 0));
  }

  @Test
  void oneMayOverwriteWhatTheOneBeforeReads() {
    assertSame(mma(0, 0, 1), mma(1, 1, 2), mma(2, 2, 0));
  }

  @Test
  void theLastOfTwoResultsStays() {
    assertSame(mma(0, 0, 1), mma(0, 1, 2), mma(0, 2, 1));
  }

  @Test
  void thoseThatShareBGiveWhatTheyGiveAlone() {
    assertSame(mma(0, 0, 0, 0), mma(1, 1, 0, 1), mma(2, 2, 0, 2), mma(3, 3, 0, 3));
  }

  @Test
  void eachAByEachBGivesWhatTheyGiveAlone() {
    assertSame(mma(0, 0, 0, 0), mma(1, 0, 1, 1), mma(2, 1, 0, 2), mma(3, 1, 1, 3));
    assertSame(mma(0, 0, 0, 0), mma(1, 1, 0, 1), mma(2, 1, 1, 2), mma(3, 0, 1, 3));
  }

  @Test
  void thoseThatAreNoRectangleGiveWhatTheyGiveAlone() {
    assertSame(mma(0, 0, 0, 0), mma(1, 1, 1, 1), mma(2, 2, 2, 2), mma(3, 0, 1, 3));
    assertSame(mma(0, 0, 0, 0), mma(1, 0, 1, 1), mma(2, 1, 0, 2), mma(3, 2, 1, 3));
    assertSame(mma(0, 0, 0, 0), mma(1, 0, 0, 1), mma(2, 1, 0, 2), mma(3, 1, 0, 3));
  }

  @Test
  void moreFragmentsThanTheTileHasRoomForGiveWhatTheyGiveAlone() {
    assertSame(mma(0, 0, 0, 0), mma(1, 1, 0, 1), mma(2, 2, 0, 2), mma(3, 3, 0, 3), mma(0, 4, 0, 0), mma(1, 4, 1, 1));
  }
}
