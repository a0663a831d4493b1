package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.simulator.Finding.Kind;

/** Bugs in how the blocks of a cluster hand over shared memory, each found, and each repaired form clean. */
class ClusterRacesTest {
  private static final int SEEDS = 40;
  private static final String MEET = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  /** Two blocks of one warp; %q1 in the first, %r5 and %r6 name the other's barrier and data, %r7 a thread's place. */
  private static final String START = """
      .shared .align 8 .b64 bar;
      .shared .align 4 .b32 flag;
      .shared .align 16 .b32 data[32];
      mov.u32 %r1, %cluster_ctarank;
      setp.eq.u32 %q0, %t, 0;
      setp.eq.u32 %q1, %r1, 0;
      xor.b32 %r2, %r1, 1;
      mov.u32 %r3, bar;
      mov.u32 %r4, data;
      mad.lo.u32 %r8, %t, 4, %r4;
      mapa.shared::cluster.u32 %r5, %r3, %r2;
      mapa.shared::cluster.u32 %r7, %r8, %r2;
      mapa.shared::cluster.u32 %r9, flag, %r2;
      @%q0 mbarrier.init.shared.b64 [%r3], 32;
      @%q0 st.shared.u32 [flag], 0;
      st.shared.u32 [%r8], %t;
      fence.mbarrier_init.release.cluster;
      """;
  private static final String AWAIT =
      "WAIT: mbarrier.try_wait.parity%s.shared::cta.b64 %%q2, [%%r3], 0;\n@!%%q2 bra WAIT;\n";

  /** @param kinds what some seed must show; none: every seed is clean */
  private record Case(String name, String body, Set<Kind> kinds, String text) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Case bug(String name, String body, String text) {
    return new Case(name, body, EnumSet.of(Kind.RACE), text);
  }

  private static Case clean(String name, String body) {
    return new Case(name, body, Set.of(), "");
  }

  private static String handOver(String arrive, String acquire) {
    return START + MEET + "@%q1 bra READ;\nst.shared::cluster.u32 [%r7], 7;\n" + arrive
        + " _, [%r5];\nbra OUT;\nREAD:\n" + AWAIT.formatted(acquire) + "ld.shared.u32 %r0, [%r8];\nOUT:\n" + MEET;
  }

  /** The second block reads its own data and says so; the first then overwrites it. */
  private static String reuse(String arrive, String acquire) {
    return START + MEET + "@%q1 bra WRITE;\nld.shared.u32 %r0, [%r8];\n" + arrive + "bra OUT;\nWRITE:\n"
        + AWAIT.formatted(acquire) + "st.shared::cluster.u32 [%r7], 9;\nOUT:\n" + MEET;
  }

  private static String flag(String store, String load) {
    return START + MEET + "@%q1 bra READ;\nst.shared::cluster.u32 [%r7], 7;\nbar.warp.sync -1;\n@%q0 " + store
        + " [%r9], 1;\nbra OUT;\nREAD: " + load + " %r0, [flag];\nsetp.eq.u32 %q2, %r0, 0;\n@%q2 bra READ;\n"
        + "ld.shared.u32 %r0, [%r8];\nOUT:\n" + MEET;
  }

  static List<Case> cases() {
    var arrive = "mbarrier.arrive%s.shared::cluster.b64";
    var cluster = arrive.formatted(".release.cluster");
    var send = "@%q1 bra READ;\nst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r7], 7, [%r5];\nbra OUT;\n"
        + "READ: mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 4;\n";
    var read = "ld.shared::cluster.u32 %r0, [%r7];\n";
    return List.of(
        bug("a remote arrival of scope cta", handOver(arrive.formatted(""), ".acquire.cluster"), "scope .cluster"),
        bug("a wait of scope cta for a remote arrival", handOver(cluster, ""), "scope .cluster"),
        bug("a relaxed remote arrival", handOver(arrive.formatted(".relaxed.cluster"), ".acquire.cluster"),
            "scope .cluster"),
        clean("a remote arrival of scope cluster", handOver(cluster, ".acquire.cluster")),
        clean("memory that was only read is reused after a weak arrival", reuse(arrive.formatted("") + " _, [%r5];\n",
            "")),
        bug("memory is reused while it is read", reuse("", ".acquire.cluster").replaceFirst("WAIT:.*\n.*WAIT;\n", ""),
            "with nothing that orders the two"),
        clean("memory is reused when it was read", reuse(cluster + " _, [%r5];\n", ".acquire.cluster")),
        bug("a flag of scope cta", flag("st.release.cta.shared::cluster.u32", "ld.acquire.cluster.shared.u32"),
            "scope .cluster"),
        bug("a flag without release", flag("st.relaxed.cluster.shared::cluster.u32", "ld.acquire.cluster.shared.u32"),
            "with nothing that orders the two"),
        clean("a flag of scope cluster",
            flag("st.release.cluster.shared::cluster.u32", "ld.acquire.cluster.shared.u32")),
        clean("a flag behind a fence",
            flag("fence.acq_rel.cluster;\n@%q0 st.relaxed.cluster.shared::cluster.u32",
                "ld.acquire.cluster.shared.u32")),
        bug("a read of a block that may not have started", START + "bar.sync 0;\n" + read + MEET,
            "nothing makes sure that that has started"),
        bug("a read of what was written after the last barrier", START + MEET + "st.shared.u32 [%r8], 5;\n" + read
            + MEET, "barrier.cluster between the two"),
        bug("a barrier that releases nothing", START + MEET + "st.shared.u32 [%r8], 5;\n"
            + MEET.replace("arrive", "arrive.relaxed") + read + MEET, "barrier.cluster between the two"),
        clean("a barrier behind a fence that releases",
            START + MEET + "st.shared.u32 [%r8], 5;\nfence.acq_rel.cluster;\n" + MEET + read + MEET),
        bug("an exit while others may read", START + MEET + "@%q1 " + read,
            "nothing makes sure that that has not exited"),
        clean("an exit after all have read", START + MEET + read + MEET),
        clean("an exit after the readers have arrived at an mbarrier", START + MEET + read
            + cluster + " _, [%r5];\n" + AWAIT.formatted(".acquire.cluster")),
        new Case("an asynchronous store that nobody waits for",
            START + MEET + send + "ld.shared.u32 %r0, [%r8];\nOUT:\n" + MEET, EnumSet.of(Kind.PENDING_COPY_READ), ""),
        clean("an asynchronous store that was waited for",
            START + MEET + send + AWAIT.formatted("") + "ld.shared.u32 %r0, [%r8];\nOUT:\n" + MEET));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void bugsAreFoundAndTheirRepairsAreClean(Case c) {
    var ptx = Clusters.kernel(1, c.body);
    var program = Simulator.load(ptx);
    var seen = EnumSet.noneOf(Kind.class);
    boolean told = false;
    for (long seed = 0; seed < SEEDS; seed++) {
      var result = Clusters.run(program, ptx, 2, 32, Kernels.SANITIZED.withSeed(seed), new int[1]);
      seen.addAll(Kernels.kinds(result));
      told |= result.findings().stream().anyMatch(f -> f.toString().contains(c.text));
      if (c.kinds.isEmpty()) assertEquals(List.of(), result.findings(), "seed " + seed);
    }
    assertTrue(seen.containsAll(c.kinds), seen.toString());
    assertTrue(c.kinds.isEmpty() || told, "the report says: " + c.text);
  }
}
