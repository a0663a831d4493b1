package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.simulator.Profile.BarrierUse;

/** What a profile says of bulk copies, mbarriers and Tensor Memory, against what is written in the kernel. */
class ProfileOfUnitsTest {
  /** Warp 0 has 64 bytes copied, and loads what warp 1 could not: its own lanes of Tensor Memory. */
  private static final String PTX = Kernels.kernel("sm_100a", 1, "", """
      .shared .align 8 .b64 bar;
      .shared .align 16 .b8 bytes[64];
      .shared .align 4 .b32 columns;
      mov.u32 %r1, bytes;
      setp.ge.u32 %q0, %t, 32;
      @%q0 bra second;
      mov.u32 %r2, columns;
      tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32;
      setp.ne.u32 %q1, %t, 0;
      @%q1 bra begun;
      mbarrier.init.shared.b64 [bar], 1;
      fence.mbarrier_init.release.cluster;
      mbarrier.arrive.expect_tx.shared.b64 %l1, [bar], 64;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%p0], 64, [bar];
      begun:
      bar.sync 0;
      ld.shared.u32 %r3, [columns];
      add.u32 %r3, %r3, 16;
      tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], {%t, %t, %t, %t, %t, %t, %t, %t};
      tcgen05.wait::st.sync.aligned;
      ld.shared.u32 %r3, [columns];
      tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;
      bra end;
      second:
      bar.sync 0;
      again:
      mbarrier.try_wait.parity.shared.b64 %q2, [bar], 0;
      @!%q2 bra again;
      end:
      """);

  private static Profile profile() {
    var result = Kernels.run(PTX, Dim3.ONE, Dim3.of(64), 0, Kernels.PLAIN.withProfile(true), new int[16]);
    assertEquals(List.of(), result.findings());
    return result.profile().orElseThrow();
  }

  @Test
  void bytesOfBulkCopiesAreCountedWhereTheyComeFromAndWhereTheyGo() {
    var copies = profile().bulk();
    assertEquals(1, copies.size());
    assertEquals(List.of(64L, 64L, 0L),
        List.of(copies.getFirst().loaded(), copies.getFirst().received(), copies.getFirst().stored()));
  }

  @Test
  void thoseThatArriveAtAnMbarrierAndThoseThatWaitAreNamed() {
    var uses = profile().barriers();
    assertEquals(List.of(BarrierUse.Kind.ARRIVAL, BarrierUse.Kind.BYTES, BarrierUse.Kind.WAIT),
        uses.stream().map(BarrierUse::kind).distinct().toList());
    assertEquals(List.of(0, 0, 1), uses.stream().map(BarrierUse::warp).toList());
    assertEquals(1, uses.stream().map(BarrierUse::offset).distinct().count());
    assertEquals(32, uses.getLast().times());
  }

  @Test
  void columnsOfTensorMemoryAreThoseThatAnInstructionNames() {
    var uses = profile().tensorMemory();
    assertEquals(1, uses.size());
    var store = uses.getFirst();
    assertEquals(List.of(16, 8, 0), List.of(store.first(), store.columns(), store.warp()));
    assertEquals("stores to", store.what());
  }
}
