package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bar.red}: votes of a whole CTA. */
class BarrierVoteTest {
  private static final int THREADS = 200;

  private static int[] vote(String instruction, int[] input, long seed) {
    int[] out = new int[THREADS];
    var ptx = Kernels.kernel(2, Instructions.load("u32", "%r1", 0, "%t4") + """
        setp.ne.u32 %q0, %r1, 0;
        mov.u32 %r3, 0;
        """ + instruction + "\n" + Instructions.store("u32", "%r2", 1, "%t4"));
    assertEquals(List.of(), Kernels.run(ptx, THREADS, Kernels.SANITIZED.withSeed(seed), input, out).findings());
    return out;
  }

  private static int[] all(int value) {
    return IntStream.generate(() -> value).limit(THREADS).toArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bar.red.popc.u32 %r2, 0, %q0;", "barrier.cta.red.popc.aligned.u32 %r2, %r3, 224, %q0;",
      "barrier.red.popc.u32 %r2, 7, !%q0; sub.u32 %r2, 200, %r2;"})
  void popcCountsTheThreadsOfAllWarps(String instruction) {
    int[] input = new Random(1).ints(THREADS, 0, 2).toArray();
    for (long seed = 0; seed < 4; seed++) {
      assertArrayEquals(all(IntStream.of(input).sum()), vote(instruction, input, seed));
    }
  }

  @ParameterizedTest
  @CsvSource({"and,0,0", "and,199,0", "and,200,1", "or,0,0", "or,1,1", "or,200,1"})
  void andAndOrReduceThePredicate(String operation, int trueThreads, int want) {
    int[] input = IntStream.range(0, THREADS).map(t -> t >= THREADS - trueThreads ? 5 : 0).toArray();
    assertArrayEquals(all(want),
        vote("bar.red." + operation + ".pred %q1, 1, %q0; selp.u32 %r2, 1, 0, %q1;", input, 3));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void consecutiveVotesDoNotMix(long seed) {
    int[] input = new Random(seed).ints(THREADS, 0, 2).toArray();
    int sum = IntStream.of(input).sum();
    assertArrayEquals(all(sum * 1000 + THREADS - sum), vote("""
        bar.red.popc.u32 %r4, 0, %q0;
        bar.red.popc.u32 %r5, 0, !%q0;
        mad.lo.u32 %r2, %r4, 1000, %r5;""", input, seed));
  }
}
