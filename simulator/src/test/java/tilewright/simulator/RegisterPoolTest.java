package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.simulator.Finding.Kind;

/** Registers that warpgroups hand to each other: {@code setmaxnreg}. */
class RegisterPoolTest {
  /** Two warpgroups: the first gives registers up late, the second takes some and looks whether they are there. */
  private static SimulationResult run(String directives, int give, int take, long seed, int[] out) {
    var body = """
        .shared .align 4 .b32 given;
        setp.eq.u32 %q3, %t, 0;
        @%q3 st.shared.u32 [given], 0;
        bar.sync 0;
        setp.lt.u32 %q0, %t, 128;
        @!%q0 bra TAKE;
        mov.u32 %r1, 0;
        WORK: add.u32 %r1, %r1, 1;
        setp.lt.u32 %q1, %r1, 100;
        @%q1 bra WORK;
        atom.shared.add.u32 %r1, [given], 1;
        setmaxnreg.dec.sync.aligned.u32 GIVE;
        bra OUT;
        TAKE: setmaxnreg.inc.sync.aligned.u32 TAKE_;
        atom.shared.add.u32 %r0, [given], 0;
        red.global.min.u32 [%p0], %r0;
        OUT:
        """.replace("GIVE", Integer.toString(give)).replace("TAKE_", Integer.toString(take));
    var ptx = Kernels.kernel("sm_90a", 1, "", body).replace(")\n{", ")\n" + directives + "\n{");
    return Kernels.run(ptx, 256, Kernels.PLAIN.withSeed(seed), out);
  }

  @Test
  void anIncreaseWaitsUntilAsManyRegistersWereGivenUp() {
    for (long seed = 0; seed < 10; seed++) {
      int[] out = {1000};
      // 128 threads give 88 each; 128 threads take 88: that needs all four warps' share.
      assertEquals(List.of(), run(".maxnreg 128", 40, 216, seed, out).findings());
      // The last warp that takes has waited for all that give; the first for its own share, a quarter of it, at least.
      assertTrue(out[0] >= 32, "after " + out[0] + " threads");
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {".maxnreg 96|96", ".maxntid 384 .minnctapersm 1|168",
      ".reqntid 384, 1, 1 .minnctapersm 1|168",
      ".maxntid 256 .minnctapersm 2|128", ".maxntid 16, 16 .maxnreg 88|88", ".maxntid 640 .minnctapersm 1|96"})
  void directivesTellHowManyRegistersThreadsHave(String directives, int registers) {
    assertEquals(List.of(), Kernels.kinds(increase(directives, registers)));
    assertEquals(List.of(Kind.DEADLOCK), Kernels.kinds(increase(directives, registers + 8)));
  }

  private static SimulationResult increase(String directives, int registers) {
    var ptx = Kernels.kernel("sm_90a", 0, "", "setmaxnreg.inc.sync.aligned.u32 " + registers + ";\n");
    return Kernels.run(ptx.replace(")\n{", ")\n" + directives + "\n{"), 128, Kernels.PLAIN);
  }

  /** So it was on an H200. */
  @ParameterizedTest
  @ValueSource(strings = {"inc.sync.aligned.u32 104", "inc.sync.aligned.u32 128", "dec.sync.aligned.u32 128"})
  void whatAsksForNoMoreThanThereIsPasses(String change) {
    var ptx = Kernels.kernel("sm_90a", 0, "", "setmaxnreg." + change + ";\n").replace(")\n{", ")\n.maxnreg 128\n{");
    assertEquals(List.of(), Kernels.run(ptx, 128, Kernels.PLAIN).findings());
  }

  @Test
  void registersThatNobodyGivesUpAreADeadlock() {
    var result = run(".maxnreg 128", 104, 160, 3, new int[1]);
    assertEquals(List.of(Kind.DEADLOCK), Kernels.kinds(result));
    var message = result.findings().getFirst().message();
    // 4 warps give 24 * 32; of these, three warps have their 32 * 32 each: no fourth.
    assertTrue(message.contains("the block's register pool has 0 registers"), message);
    assertTrue(message.contains("has 128 a thread"), message);
  }

  /** For these ptxas 13.0 says that setmaxnreg is ignored, because it cannot determine the register count at entry. */
  @ParameterizedTest
  @ValueSource(strings = {"", ".maxntid 256", ".reqntid 256, 1, 1"})
  void withoutDirectivesThatTellTheNumberItHasNoEffect(String directives) {
    assertEquals(List.of(), run(directives, 40, 256, 3, new int[1]).findings());
  }

  private static SimulationResult disagreement(String first, String second) {
    var ptx = Kernels.kernel("sm_90a", 0, "", """
        setp.lt.u32 %%q0, %%t, 32;
        @%%q0 bra OTHER;
        setmaxnreg.%s;
        ret;
        OTHER: setmaxnreg.%s;
        """.formatted(first, second)).replace(")\n{", ")\n.maxnreg 128\n{");
    return Kernels.run(ptx, 128, Kernels.PLAIN);
  }

  @Test
  void warpsOfOneWarpgroupThatWantDifferentNumbersAreAnError() {
    var result = disagreement("inc.sync.aligned.u32 128", "inc.sync.aligned.u32 120");
    assertEquals(List.of(Kind.INVALID_OPERATION), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains("must execute the same setmaxnreg"));
  }

  @Test
  void warpsOfOneWarpgroupMayGiveBackDifferentNumbers() {
    assertEquals(List.of(), disagreement("dec.sync.aligned.u32 40", "dec.sync.aligned.u32 24").findings());
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 20, 25, 264})
  void countsThatDoNotExistAreRefused(int registers) {
    assertThrows(UnsupportedPtxException.class,
        () -> Simulator.load(Clusters.kernel(0, "setmaxnreg.inc.sync.aligned.u32 " + registers + ";\n")));
  }
}
