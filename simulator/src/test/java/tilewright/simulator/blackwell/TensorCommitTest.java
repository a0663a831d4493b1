package tilewright.simulator.blackwell;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the mbarrier of {@code tcgen05.commit} may be named. */
class TensorCommitTest {
  @ParameterizedTest
  @ValueSource(strings = {".shared::cluster.b64 [%sm]", ".shared::cluster.b64 [%l1]", ".b64 [%l2]", ".b64 [%l1]"})
  void anAddressOfSharedMemoryIsTakenInEitherForm(String address) {
    var out = new int[] {0};
    var ptx = Blackwell.kernel(1, "", """
        cvt.u64.u32 %l1, %sm;
        cvta.shared.u64 %l2, %l1;
        setp.ne.u32 %q1, %t, 0;
        @%q1 bra READY;
        mbarrier.init.shared.b64 [%sm], 1;
        tcgen05.commit.cta_group::1.mbarrier::arrive::oneWHERE;
        READY: bar.sync 0;
        AGAIN: mbarrier.try_wait.parity.shared.b64 %q2, [%sm], 0;
        @!%q2 bra AGAIN;
        st.global.u32 [%p0], 7;
        """.replace("WHERE", address));
    assertEquals(List.of(), Blackwell.run(ptx, 1, 1, 32, 64, Blackwell.PLAIN, out).findings());
    assertEquals(7, out[0]);
  }
}
