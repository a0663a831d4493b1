package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;

/** {@code st.bulk} (PTX ISA, st.bulk). */
class BulkStoresTest {
  private static final String SHARED = ".extern .shared .align 16 .b8 s[];";
  /** Fills 64 words of shared memory with ones and leaves the address of word 4 in %r1, %l1 and, generic, in %l2. */
  private static final String FILL = """
      mov.u32 %r0, s;
      shl.b32 %r2, %t, 2;
      add.u32 %r2, %r0, %r2;
      mov.u32 %r3, -1;
      st.shared.u32 [%r2], %r3;
      bar.sync 0;
      add.u32 %r1, %r0, 16;
      cvt.u64.u32 %l1, %r1;
      cvta.shared.u64 %l2, %l1;
      mov.u64 %l3, 32;
      setp.ne.u32 %q0, %t, 5;
      """;

  private static SimulationResult run(String store, int[] out) {
    var body = FILL + "@%q0 bra S;\n" + store + "\nS:\nbar.sync 0;\nld.shared.u32 %r4, [%r2];\n"
        + Instructions.store("u32", "%r4", 0, "%t4");
    return Kernels.run(Kernels.kernel("sm_100a", 1, SHARED, body), Dim3.ONE, Dim3.of(64), 256, Kernels.SANITIZED, out);
  }

  @ParameterizedTest
  @ValueSource(strings = {"st.bulk.shared::cta [%r1], %l3, 0;", "st.bulk.weak.shared::cta [%l1], 32, 0;",
      "st.bulk [%l2], %l3, 0;", "st.bulk.weak [%l2+8], 32, 0;"})
  void exactlyTheNamedBytesBecomeZero(String store) {
    var out = new int[64];
    assertEquals(List.of(), run(store, out).findings());
    int first = store.contains("+8") ? 6 : 4;
    var expected = new int[64];
    for (int i = 0; i < 64; i++) expected[i] = i >= first && i < first + 8 ? 0 : -1;
    assertArrayEquals(expected, out);
  }

  @Test
  void storesBeyondSharedMemoryAreFound() {
    assertEquals(List.of(Finding.Kind.OUT_OF_BOUNDS),
        Kernels.kinds(run("st.bulk.shared::cta [%r1], 248, 0;", new int[64])));
  }

  @Test
  void aSizeThatIsNoMultipleOfEightIsFound() {
    assertEquals(List.of(Finding.Kind.INVALID_OPERATION),
        Kernels.kinds(run("st.bulk.shared::cta [%r1], 12, 0;", new int[64])));
  }

  @Test
  void anUnorderedReadOfClearedMemoryRaces() {
    var body = FILL + """
        @%q0 bra S;
        st.bulk.shared::cta [%r1], %l3, 0;
        S:
        ld.shared.u32 %r4, [%r2];
        """ + Instructions.store("u32", "%r4", 0, "%t4");
    var result = Kernels.run(Kernels.kernel("sm_100a", 1, SHARED, body), Dim3.ONE, Dim3.of(64), 256, Kernels.SANITIZED,
        new int[64]);
    assertEquals(List.of(Finding.Kind.RACE), Kernels.kinds(result));
  }
}
