package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ptx.Dim3;
import tilewright.simulator.Finding.Kind;

/** Blocks of a cluster: who they are, and each other's shared memory. */
class ClusterTest {
  private static final String SYNC = """
      barrier.cluster.arrive.aligned;
      barrier.cluster.wait.aligned;
      """;

  @Test
  void specialRegistersTellWhereABlockIs() {
    var grid = new Dim3(4, 6, 4);
    var cluster = new Dim3(2, 3, 1);
    var names = List.of("clusterid.x", "clusterid.y", "clusterid.z", "nclusterid.x", "nclusterid.y", "nclusterid.z",
        "cluster_ctaid.x", "cluster_ctaid.y", "cluster_ctaid.z", "cluster_nctaid.x", "cluster_nctaid.y",
        "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank");
    var body = new StringBuilder(Clusters.BLOCK).append("mul.lo.u32 %r9, %r9, 64;\ncvt.u64.u32 %l0, %r9;\n")
        .append("add.u64 %l0, %l0, %p0;\n");
    for (int k = 0; k < names.size(); k++) {
      body.append("mov.u32 %r0, %").append(names.get(k)).append(";\nst.global.u32 [%l0+").append(4 * k)
          .append("], %r0;\n");
    }
    body.append("mov.pred %q0, %is_explicit_cluster;\nselp.u32 %r0, 1, 0, %q0;\nst.global.u32 [%l0+56], %r0;\n");
    int[] out = new int[16 * 96];
    assertEquals(List.of(), Clusters.run(Clusters.kernel(1, body.toString()), grid, 1, cluster, Kernels.PLAIN, out)
        .findings());
    for (int block = 0; block < 96; block++) {
      int x = block % 4;
      int y = block / 4 % 6;
      int z = block / 24;
      int[] expected = {x / 2, y / 3, z, 2, 2, 4, x % 2, y % 3, 0, 2, 3, 1, x % 2 + 2 * (y % 3), 6, 1, 0};
      assertArrayEquals(expected, java.util.Arrays.copyOfRange(out, 16 * block, 16 * block + 16));
    }
  }

  @Test
  void aBlockOfALaunchWithoutClustersIsOneByItself() {
    var body = """
        mov.pred %q0, %is_explicit_cluster;
        selp.u32 %r0, 100, 0, %q0;
        mov.u32 %r1, %cluster_nctarank;
        add.u32 %r0, %r0, %r1;
        mov.u32 %r1, %clusterid.x;
        mad.lo.u32 %r0, %r1, 10, %r0;
        mul.wide.u32 %l0, %r1, 4;
        add.u64 %l0, %l0, %p0;
        st.global.u32 [%l0], %r0;
        """;
    int[] out = new int[4];
    Clusters.run(Clusters.kernel(1, body), Dim3.of(4), 1, Dim3.ONE, Kernels.PLAIN, out);
    assertArrayEquals(new int[] {1, 11, 21, 31}, out);
  }

  /** Each thread leaves a number in its block's shared memory; thread t then reads that of the next rank. */
  private static String exchange(String read) {
    return """
        .shared .align 16 .b32 mine[64];
        mov.u32 %r1, %cluster_ctarank;
        mov.u32 %r2, %cluster_nctarank;
        mov.u32 %r3, mine;
        mad.lo.u32 %r4, %t, 4, %r3;
        mad.lo.u32 %r5, %r1, 1000, %t;
        st.shared.u32 [%r4], %r5;
        """ + SYNC + """
        add.u32 %r6, %r1, 1;
        rem.u32 %r6, %r6, %r2;
        """ + read + SYNC + Clusters.BLOCK + """
        mad.lo.u32 %r9, %r9, 64, %t;
        mul.wide.u32 %l0, %r9, 4;
        add.u64 %l0, %l0, %p0;
        st.global.u32 [%l0], %r0;
        """;
  }

  private static int[] exchanged(int blocks, int cluster) {
    return IntStream.range(0, blocks * 64)
        .map(i -> ((i / 64 % cluster) + 1) % cluster * 1000 + i % 64).toArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {
      "mapa.shared::cluster.u32 %r7, %r4, %r6; ld.shared::cluster.u32 %r0, [%r7];",
      "mapa.shared::cluster.u32 %r7, mine, %r6; mad.lo.u32 %r7, %t, 4, %r7; ld.relaxed.cluster.shared::cluster.u32 "
          + "%r0, [%r7];",
      "cvt.u64.u32 %l1, %r4; mapa.shared::cluster.u64 %l2, %l1, %r6; ld.shared::cluster.b32 %r0, [%l2];",
      "cvt.u64.u32 %l1, %r4; cvta.shared.u64 %l1, %l1; mapa.u64 %l2, %l1, %r6; ld.u32 %r0, [%l2];",
      "cvt.u64.u32 %l1, %r4; cvta.shared::cluster.u64 %l1, %l1; mapa.u64 %l2, %l1, %r6; "
          + "cvta.to.shared::cluster.u64 %l2, %l2; ld.shared::cluster.u32 %r0, [%l2];",
      "mapa.shared::cluster.u32 %r7, %r3, %r6; shr.u32 %r8, %t, 2; mad.lo.u32 %r7, %r8, 16, %r7; "
          + "ld.shared::cluster.v4.u32 {%r10, %r11, %r12, %r13}, [%r7]; and.b32 %r8, %t, 3; setp.eq.u32 %q0, %r8, 0; "
          + "setp.eq.u32 %q1, %r8, 1; setp.eq.u32 %q2, %r8, 2; selp.u32 %r0, %r12, %r13, %q2; "
          + "selp.u32 %r0, %r11, %r0, %q1; selp.u32 %r0, %r10, %r0, %q0;"})
  void blocksReadEachOthersSharedMemory(String read) {
    for (long seed = 0; seed < 8; seed++) {
      int[] out = new int[8 * 64];
      var result = Clusters.run(Clusters.kernel(1, exchange(read)), Dim3.of(8), 64, Dim3.of(4),
          Kernels.SANITIZED.withSeed(seed), out);
      assertEquals(List.of(), result.findings());
      assertArrayEquals(exchanged(8, 4), out);
    }
  }

  @Test
  void ownAddressesServeInTheClustersWindowToo() {
    var read = """
        mad.lo.u32 %r7, %r1, 1000, 0;
        ld.shared::cluster.u32 %r8, [%r4];
        ld.shared::cluster.u32 %r10, [mine+4];
        sub.u32 %r8, %r8, %r7;
        sub.u32 %r10, %r10, %r7;
        mad.lo.u32 %r0, %r10, 100, %r8;
        """;
    int[] out = new int[4 * 64];
    assertEquals(List.of(), Clusters.run(Clusters.kernel(1, exchange(read)), Dim3.of(4), 64, Dim3.of(4), Kernels.PLAIN,
        out).findings());
    assertArrayEquals(IntStream.range(0, 256).map(i -> 100 + i % 64).toArray(), out);
  }

  @Test
  void atomicsAndStoresReachOtherBlocks() {
    var body = """
        .shared .align 16 .b32 sum[4];
        .shared .align 16 .b32 slots[256];
        mov.u32 %r1, %cluster_ctarank;
        setp.lt.u32 %q0, %t, 4;
        mov.u32 %r3, sum;
        mad.lo.u32 %r4, %t, 4, %r3;
        @%q0 st.shared.u32 [%r4], 0;
        """ + SYNC + """
        // everyone adds to one counter of each rank, and stores into rank t mod 4's slots
        and.b32 %r5, %t, 3;
        mapa.shared::cluster.u32 %r6, sum, %r5;
        red.shared::cluster.add.u32 [%r6], %t;
        atom.relaxed.cluster.shared::cluster.max.u32 %r7, [%r6+4], %t;
        cvt.u64.u32 %l3, %r6;
        cvta.shared::cluster.u64 %l3, %l3;
        atom.add.u32 %r7, [%l3+8], 1;
        mapa.shared::cluster.u32 %r6, slots, %r5;
        mad.lo.u32 %r7, %r1, 64, %t;
        mad.lo.u32 %r6, %r7, 4, %r6;
        st.shared::cluster.u32 [%r6], %r7;
        """ + SYNC + Clusters.BLOCK + """
        ld.shared.v2.u32 {%r10, %r11}, [sum];
        ld.shared.u32 %r12, [sum+8];
        mov.u32 %r3, slots;
        mad.lo.u32 %r13, %t, 16, %r3;
        mad.lo.u32 %r13, %r1, 4, %r13;
        ld.shared.u32 %r13, [%r13];
        mad.lo.u32 %r9, %r9, 64, %t;
        mul.wide.u32 %l0, %r9, 16;
        add.u64 %l0, %l0, %p0;
        st.global.v4.u32 [%l0], {%r10, %r11, %r12, %r13};
        """;
    int[] out = new int[4 * 64 * 4];
    assertEquals(List.of(), Clusters.run(Clusters.kernel(1, body), Dim3.of(4), 64, Dim3.of(4), Kernels.PLAIN, out)
        .findings());
    for (int i = 0; i < 256; i++) {
      int rank = i / 64;
      int added = IntStream.range(0, 64).filter(t -> t % 4 == rank).sum();
      assertEquals(4 * added, out[4 * i]);
      assertEquals(60 + rank, out[4 * i + 1]);
      assertEquals(4 * 16, out[4 * i + 2]);
      // Slot 4t + rank was stored by the thread of that number in the cluster.
      assertEquals(4 * (i % 64) + rank, out[4 * i + 3]);
    }
  }

  @Test
  void addressesTellTheirBlock() {
    var body = """
        .shared .align 4 .b32 mine;
        mov.u32 %r1, %cluster_ctarank;
        mov.u32 %r2, mine;
        xor.b32 %r3, %r1, 1;
        mapa.shared::cluster.u32 %r4, %r2, %r3;
        getctarank.shared::cluster.u32 %r5, %r4;
        shr.u32 %r6, %r4, 24;
        and.b32 %r7, %r4, 0xFEFFFFFF;
        getctarank.shared::cluster.u32 %r15, %r7;
        cvt.u64.u32 %l1, %r4;
        cvta.shared::cluster.u64 %l1, %l1;
        getctarank.u64 %r14, %l1;
        isspacep.shared::cluster %q0, %l1;
        isspacep.shared::cta %q1, %l1;
        cvt.u64.u32 %l2, %r2;
        cvta.shared.u64 %l2, %l2;
        isspacep.shared %q2, %l2;
        isspacep.shared::cluster %q3, %p0;
        selp.u32 %r10, 1, 0, %q0;
        selp.u32 %r11, 2, 0, %q1;
        selp.u32 %r12, 4, 0, %q2;
        selp.u32 %r13, 8, 0, %q3;
        or.b32 %r10, %r10, %r11;
        or.b32 %r12, %r12, %r13;
        or.b32 %r10, %r10, %r12;
        """ + Clusters.BLOCK + """
        mul.wide.u32 %l0, %r9, 32;
        add.u64 %l0, %l0, %p0;
        st.global.v4.u32 [%l0], {%r5, %r6, %r15, %r14};
        st.global.u32 [%l0+16], %r10;
        """;
    int[] out = new int[4 * 8];
    assertEquals(List.of(), Clusters.run(Clusters.kernel(1, body), Dim3.of(4), 1, Dim3.of(4), Kernels.PLAIN, out)
        .findings());
    for (int rank = 0; rank < 4; rank++) {
      int peer = rank ^ 1;
      assertArrayEquals(new int[] {peer, peer, rank & ~1, peer, 5, 0, 0, 0},
          java.util.Arrays.copyOfRange(out, 8 * rank, 8 * rank + 8));
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "ld.shared.u32 %r0, [%r7];|OUT_OF_BOUNDS|another block's needs .shared::cluster",
      "ld.shared::cta.u32 %r0, [%r7];|OUT_OF_BOUNDS|another block's needs .shared::cluster",
      "ld.shared::cluster.u32 %r0, [%r7+4096];|OUT_OF_BOUNDS|shared memory of rank 1 + 4096",
      "mapa.shared::cluster.u32 %r7, %r3, 4; ld.shared::cluster.u32 %r0, [%r7];|OUT_OF_BOUNDS|shared memory of rank 4",
      "mapa.u64 %l3, %p0, 1; ld.u32 %r0, [%l3];|OUT_OF_BOUNDS|rank 255",
      "ld.shared::cluster.u32 %r0, [%r7+2];|MISALIGNED|no multiple of 4"})
  void accessesElsewhereAreErrors(String access, Kind kind, String message) {
    var read = "mapa.shared::cluster.u32 %r7, %r3, %r6;\nsetp.ne.u32 %q5, %r1, 0;\n@%q5 bra SKIP;\n" + access
        + "\nSKIP:\n";
    var result = Clusters.run(Clusters.kernel(1, exchange(read)), Dim3.of(4), 64, Dim3.of(4), Kernels.PLAIN,
        new int[256]);
    assertEquals(List.of(kind), Kernels.kinds(result));
    assertTrue(result.findings().getFirst().message().contains(message), result.findings().toString());
  }

  @Test
  void sharedMemoryOfABlockThatIsGoneOrNotYetThereIsAnError() {
    var body = """
        .shared .align 4 .b32 mine;
        mov.u32 %r1, %cluster_ctarank;
        st.shared.u32 [mine], %r1;
        setp.ne.u32 %q0, %r1, 0;
        @%q0 ret;
        mapa.shared::cluster.u32 %r7, mine, 1;
        ld.shared::cluster.u32 %r0, [%r7];
        """;
    var messages = new java.util.TreeSet<String>();
    for (long seed = 0; seed < 40; seed++) {
      var result = Clusters.run(Clusters.kernel(1, body), Dim3.of(2), 1, Dim3.of(2), Kernels.PLAIN.withSeed(seed),
          new int[1]);
      for (var f : result.findings()) {
        assertEquals(Kind.INVALID_OPERATION, f.kind());
        messages.add(f.message().replaceAll(".*which has (\\w+ ?\\w* ?\\w*):.*", "$1"));
      }
    }
    assertEquals(java.util.Set.of("exited", "not started yet"), messages);
  }
}
