package tilewright.simulator;

import java.util.List;

/** As {@link AsyncBugsTest}, for copies by tensor maps, also such that threads have changed. */
class TensorMapBugsTest implements PlantedBugs {
  /**
   * r10: the tile; r12: the mbarrier, which thread 0 has initialised for one arrival; q0: is thread 0; l1: this lane's
   * word of the map in global memory, which the second buffer holds, and l2 that of the parameter.
   */
  private static final String START = """
      .shared .align 128 .b8 tile[256];
      .shared .align 128 .b8 edited[128];
      .shared .align 8 .b64 bar;
      mov.u32 %r10, tile;
      mov.u32 %r12, bar;
      setp.eq.u32 %q0, %t, 0;
      mov.u32 %r1, 0;
      @%q0 mbarrier.init.shared.b64 [%r12], 1;
      @%q0 fence.mbarrier_init.release.cluster;
      mov.b64 %l2, map;
      cvta.param.u64 %l2, %l2;
      add.u64 %l2, %l2, %t4;
      add.u64 %l1, %p1, %t4;
      setp.lt.u32 %q1, %t, 32;
      bar.sync 0;
      """;
  /** The map goes to global memory. */
  private static final String COPY = "@%q1 ld.u32 %r0, [%l2];\n@%q1 st.global.u32 [%l1], %r0;\nbar.sync 0;\n";
  /** The map goes to shared memory. */
  private static final String STAGE = "mov.u32 %r2, edited;\nmad.lo.u32 %r3, %t, 4, %r2;\n@%q1 ld.u32 %r0, [%l2];\n"
      + "@%q1 st.shared.u32 [%r3], %r0;\nbar.sync 0;\n";
  private static final String REPLACE =
      "@%q0 tensormap.replace.tile.global_dim.global.b1024.b32 [%p1], 0, 16; // THERE\n";
  private static final String RELEASE = "fence.proxy.tensormap::generic.release.gpu;";
  private static final String ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;";
  private static final String EXPECT = "@%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;\n";
  private static final String AWAIT = "W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0;\n@!%q2 bra W;\n";

  private static String load(String map) {
    return "@%q0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [" + map
        + ", {%r1, %r1}], [%r12];";
  }

  private static final String LOAD = EXPECT + load("%p1") + " // HERE\n" + AWAIT;

  private static final List<SeededBug> BUGS = List.of(
      SeededBug.sm90("a tensor map used without acquiring what was replaced", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + COPY + RELEASE + "\n" + REPLACE + RELEASE + "\nbar.sync 0;\n"
          + "FIX[" + ACQUIRE + "]\n" + LOAD, "copies by the tensor map at 'arg1' + 0 through the tensormap proxy",
          "thread (0,0,0) of the same warp (warp 0) writes at line", "acquire behind that in this block",
          "put fence.proxy.tensormap::generic.acquire of the map"),
      SeededBug.sm90("a tensor map replaced without a release for the tensormap proxy", 1, 64,
          Finding.Kind.MISSING_PROXY_FENCE, START + COPY + RELEASE + "\n" + REPLACE + "FIX[" + RELEASE + "]\n"
          + "BAD[fence.proxy.async;]\nbar.sync 0;\n" + ACQUIRE + "\n" + LOAD,
          "release of that thread behind it", "(or tensormap.cp_fenceproxy) behind line"),
      SeededBug.sm90("a tensor map acquired before it is replaced", 1, 64, Finding.Kind.MISSING_PROXY_FENCE,
          START + COPY + RELEASE + "\nbar.sync 0;\n" + ACQUIRE + "\n" + REPLACE + RELEASE + "\nbar.sync 0;\n"
          + "FIX[" + ACQUIRE + "]\n" + LOAD, "acquire behind that in this block"),
      SeededBug.sm90("a tensor map copied by tensormap.cp_fenceproxy and not acquired", 1, 32,
          Finding.Kind.MISSING_PROXY_FENCE, START + STAGE + """
          @%q0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, 16;
          bar.warp.sync -1;
          tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned // THERE
            [%p1], [%r2], 128;
          """ + "FIX[" + ACQUIRE + "]\n" + LOAD, "acquire behind that in this block"),
      SeededBug.sm90("a tensor map staged without waiting for the lane that edits it", 1, 32, Finding.Kind.RACE,
          START + STAGE + """
          @%q0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r2], 0, 16; // THERE
          FIX[bar.warp.sync -1;]
          tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned // HERE
            [%p1], [%r2], 128;
          """ + ACQUIRE + "\n" + LOAD.replace("// HERE", ""), "shared 'edited' + "),
      SeededBug.sm90("bytes expected of what lies in the tensor instead of the whole box", 1, 32,
          Finding.Kind.DEADLOCK, START + """
          mov.u32 %r1, 20;
          mov.u32 %r2, 29;
          BAD[@%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 144;]
          FIX[@%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;]
          """ + load("map").replace("{%r1, %r1}", "{%r1, %r2}") + "\n" + AWAIT.replace(";\n@", "; // HERE\n@"),
          "transaction count -112 (bytes that came and were not expected)"));

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }
}
