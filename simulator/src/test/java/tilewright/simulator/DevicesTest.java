package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.LaunchGroup;

/** Kernels of several devices that run at the same time and hand data over in each other's memory. */
class DevicesTest {
  private static final int SEEDS = 3;

  /** Device 0 writes to the data of device 1 and signals at %p2, its flags; device 1 polls there, then adds up. */
  static Devices handOver(String signal, String poll) {
    return handOver(signal, poll, "");
  }

  private static Devices handOver(String signal, String poll, String behind) {
    return Devices.of(1, 64, """
        add.s64 %%l0, %%p3, %%t4;
        st.global.u32 [%%l0], 7;
        bar.sync 0;
        setp.ne.u32 %%q0, %%t, 0;
        @%%q0 bra END;
        %s
        END:
        """.formatted(signal), """
        setp.ne.u32 %%q0, %%t, 0;
        @%%q0 bra SEEN;
        POLL: %s %%r2, [%%p2];
        setp.ne.u32 %%q1, %%r2, 1;
        @%%q1 bra POLL;
        %s
        SEEN: bar.sync 0;
        add.s64 %%l0, %%p3, %%t4;
        ld.global.u32 %%r3, [%%l0];
        red.global.add.u32 [%%p2 + 4], %%r3;
        """.formatted(poll, behind));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "st.release.sys.global.u32 [%p2], 1;                                    | ld.acquire.sys.global.u32",
      "red.release.sys.global.add.u32 [%p2], 1;                               | ld.acquire.sys.global.u32",
      "fence.acq_rel.sys; st.relaxed.sys.global.u32 [%p2], 1;                 | ld.acquire.sys.global.u32",
      "fence.sc.sys; st.volatile.global.u32 [%p2], 1;                         | ld.acquire.sys.global.u32",
      "membar.sys; red.relaxed.sys.global.add.u32 [%p2], 1;                   | ld.acquire.sys.global.u32",
      "atom.release.sys.global.exch.b32 %r9, [%p2], 1;                        | ld.acquire.sys.global.u32"})
  void aFlagOfTheSystemsScopeHandsOver(String signal, String poll) {
    var devices = handOver(signal, poll);
    assertEquals(List.of(), devices.findings(SEEDS));
    assertEquals(64 * 7, devices.word("flags1", 1));
  }

  @Test
  void aFenceBehindARelaxedReadAcquires() {
    assertEquals(List.of(), handOver("st.release.sys.global.u32 [%p2], 1;", "ld.relaxed.sys.global.u32",
        "fence.acq_rel.sys;").findings(SEEDS));
    assertEquals(List.of(), handOver("membar.sys; st.volatile.global.u32 [%p2], 1;", "ld.volatile.global.u32",
        "membar.sys;").findings(SEEDS));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      // The flag itself races where one side's scope is too narrow, or where it is plain.
      "st.release.gpu.global.u32 [%p2], 1;  | ld.acquire.sys.global.u32 | st.release.gpu | scope .sys on both sides",
      "st.release.sys.global.u32 [%p2], 1;  | ld.acquire.gpu.global.u32 | ld.acquire.gpu | scope .sys on both sides",
      "st.release.gpu.global.u32 [%p2], 1;  | ld.acquire.gpu.global.u32 | st.release.gpu | scope .sys on both sides",
      "st.global.u32 [%p2], 1;              | ld.acquire.sys.global.u32 | st.global.u32 [%p2] | not plainly",
      "st.release.sys.global.u32 [%p2], 1;  | ld.global.u32             | ld.global.u32 | not plainly",
      // The flag is right, but what is before it or behind it does not reach as far.
      "fence.acq_rel.gpu; st.relaxed.sys.global.u32 [%p2], 1; | ld.acquire.sys.global.u32 | st.global.u32 | "
          + "give scope .sys to the release at line 28 (fence.acq_rel.gpu)",
      "membar.gl; st.volatile.global.u32 [%p2], 1; | ld.acquire.sys.global.u32 | st.global.u32 | "
          + "give scope .sys to the release at line 28 (membar.gl)",
      "st.relaxed.sys.global.u32 [%p2], 1;  | ld.acquire.sys.global.u32 | st.global.u32 | hand over by a flag",
      "st.release.sys.global.u32 [%p2], 1;  | ld.relaxed.sys.global.u32 | st.global.u32 | acquire at scope .sys"})
  void aNarrowerScopeIsFound(String signal, String poll, String text, String fix) {
    for (int seed = 0; seed < SEEDS; seed++) {
      var findings = handOver(signal, poll).run(seed).findings();
      assertTrue(findings.stream().anyMatch(f -> f.kind() == Finding.Kind.RACE && f.fix().contains(fix)
          && (f.text().contains(text) || f.other().orElseThrow().text().contains(text))),
          () -> "no '" + text + "' and '" + fix + "' in " + findings);
    }
  }

  @Test
  void aRaceNamesBothDevicesAndTheInstructionOfTheOtherKernel() {
    var found = handOver("st.relaxed.sys.global.u32 [%p2], 1;", "ld.acquire.sys.global.u32").run(0).devices().get(1)
        .findings().getFirst();
    assertTrue(found.message().contains("of block (0,0,0) of device 1 reads 'data1'"), found.message());
    assertTrue(found.message().contains("of block (0,0,0) of device 0 writes at line 24"), found.message());
    assertEquals("st.global.u32 [%l0], 7", found.other().orElseThrow().text());
  }

  @Test
  void synchronisationOfOneDeviceDoesNotOrderAnother() {
    // Blocks of device 0 hand over among themselves at scope .gpu, then the last one signals: it may, since it knows
    // of all, and says so at scope .sys.
    var inOrder = """
        mov.u32 %%r1, %%ctaid.x;
        mul.wide.u32 %%l1, %%r1, 4;
        add.s64 %%l0, %%p3, %%l1;
        st.global.u32 [%%l0], 7;
        atom.acq_rel.%s.global.add.u32 %%r2, [%%p0], 1;
        setp.ne.u32 %%q0, %%r2, 3;
        @%%q0 bra END;
        st.release.sys.global.u32 [%%p2], 1;
        END:
        """;
    var waiter = """
        mov.u32 %r1, %ctaid.x;
        setp.ne.u32 %q0, %r1, 0;
        @%q0 bra END;
        POLL: ld.acquire.sys.global.u32 %r2, [%p2];
        setp.ne.u32 %q1, %r2, 1;
        @%q1 bra POLL;
        ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%p3];
        END:
        """;
    assertEquals(List.of(), Devices.of(4, 1, inOrder.formatted("gpu"), waiter).findings(SEEDS));
    assertTrue(Devices.of(4, 1, inOrder.formatted("cta"), waiter).findings(1).stream()
        .anyMatch(f -> f.kind() == Finding.Kind.RACE));
  }

  @Test
  void aBulkStoreToAnotherDeviceIsHandedOverWhenItIsDone() {
    var store = """
        .shared .align 128 .b8 tile[256];
        mov.u32 %%r10, tile;
        mad.lo.u32 %%r11, %%t, 4, %%r10;
        st.shared.u32 [%%r11], 7;
        fence.proxy.async.shared::cta;
        bar.sync 0;
        setp.ne.u32 %%q0, %%t, 0;
        @%%q0 bra END;
        cp.async.bulk.global.shared::cta.bulk_group [%%p3], [%%r10], 256;
        cp.async.bulk.commit_group;
        cp.async.bulk.wait_group%s 0;
        st.release.sys.global.u32 [%%p2], 1;
        cp.async.bulk.wait_group 0;
        END:
        """;
    var add = """
        POLL: ld.acquire.sys.global.u32 %r2, [%p2];
        setp.ne.u32 %q1, %r2, 1;
        @%q1 bra POLL;
        add.s64 %l0, %p3, %t4;
        ld.global.u32 %r3, [%l0];
        red.global.add.u32 [%p2 + 4], %r3;
        """;
    var devices = Devices.of("sm_90a", 1, 64, store.formatted(""), add);
    assertEquals(List.of(), devices.findings(SEEDS));
    assertEquals(64 * 7, devices.word("flags1", 1));
    var early = Devices.of("sm_90a", 1, 64, store.formatted(".read"), add);
    for (int seed = 0; seed < SEEDS; seed++) {
      var found = early.run(seed).findings().getFirst();
      assertEquals(Finding.Kind.PENDING_COPY_READ, found.kind());
      assertTrue(found.message().contains("of device 1 reads 'data1' + "), found.message());
      assertTrue(found.message().contains("thread (0,0,0) of block (0,0,0) of device 0"), found.message());
    }
  }

  @Test
  void atomicsOfDifferentDevicesNeedTheSystemsScope() {
    var add = "red.relaxed.%s.global.add.u32 [%%p1], 1;";
    var devices = Devices.of(4, 32, add.formatted("sys"), add.formatted("sys"), add.formatted("sys"));
    assertEquals(List.of(), devices.findings(SEEDS));
    assertEquals(3 * 4 * 32, devices.word("data0", 0));
    assertEquals(Finding.Kind.RACE,
        Devices.of(4, 32, add.formatted("sys"), add.formatted("gpu")).findings(1).getFirst().kind());
  }

  @Test
  void memoryOfAnotherDeviceIsOutOfReachWithoutPeerAccess() {
    var devices = handOver("st.release.sys.global.u32 [%p2], 1;", "ld.acquire.sys.global.u32").withoutPeers();
    var found = devices.run(0).findings();
    assertEquals(1, found.size());
    assertEquals(Finding.Kind.NO_PEER_ACCESS, found.getFirst().kind());
    assertTrue(found.getFirst().message().contains("of device 0 writes 4 bytes out of its reach: buffer 'data1' is "
        + "memory of device 1, to which device 0 has no peer access"), found.getFirst().message());
    assertTrue(found.getFirst().fix().contains("cuCtxEnablePeerAccess"));
  }

  @Test
  void variablesOfAModuleAreEachDevicesOwn() {
    var ptx = Kernels.kernel("sm_80", 1, ".global .u32 count = 5;", """
        atom.global.add.u32 %r1, [count], 1;
        st.global.u32 [%p0], %r1;
        """);
    var launches = new TreeMap<Integer, Launch>();
    for (int d = 0; d < 2; d++) {
      launches.put(d, new Launch(ptx, "k", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0,
          Map.of("out" + d, MemorySegment.ofArray(new int[1])), List.of(new Launch.Argument.Buffer("out" + d))));
    }
    var group = LaunchGroup.ofPeers(launches, Map.of("out0", 0, "out1", 1));
    assertEquals(List.of(), Simulator.run(group, Kernels.SANITIZED).findings());
    for (int d = 0; d < 2; d++) assertEquals(5, launches.get(d).bytes("out" + d)[0]);
  }

  @Test
  void aSeedAlwaysGivesTheSameOrderAndSeedsGiveDifferentOnes() {
    var ticket = """
        atom.relaxed.sys.global.add.u32 %r1, [%p0], 1;
        mov.u32 %r2, %ctaid.x;
        mul.wide.u32 %l1, %r2, 4;
        add.s64 %l0, OWN, %l1;
        st.global.u32 [%l0], %r1;
        """;
    var devices = Devices.of(8, 1, ticket.replace("OWN", "%p1"), ticket.replace("OWN", "%p3"));
    var orders = new HashSet<List<Integer>>();
    for (int seed = 0; seed < 6; seed++) {
      assertEquals(order(devices, seed), order(devices, seed));
      orders.add(order(devices, seed));
    }
    assertNotEquals(1, orders.size());
  }

  private static List<Integer> order(Devices devices, int seed) {
    assertEquals(List.of(), devices.run(seed).findings());
    return IntStream.range(0, 16).mapToObj(i -> devices.word(i < 8 ? "data0" : "data1", i % 8)).toList();
  }

  @Test
  void malformedGroupsAreRefused() {
    var group = Devices.of(1, 32, "", "").group();
    var members = group.members();
    assertEquals(members, new LaunchGroup(members.reversed(), group.owners()).members());
    refused("device 0 has two launches", () ->
        new LaunchGroup(List.of(members.getFirst(), members.getFirst()), group.owners()));
    refused("no launch", () -> new LaunchGroup(List.of(), Map.of()));
    refused("no device is said to have buffer", () -> new LaunchGroup(members, Map.of()));
    refused("named as its own peer", () -> new LaunchGroup.Member(1, Set.of(1), members.getFirst().launch()));
    refused("device 64 is not in 0", () -> new LaunchGroup.Member(64, Set.of(), members.getFirst().launch()));
    refused("features [COOPERATIVE]", () ->
        new LaunchGroup.Member(0, Set.of(), members.getFirst().launch().with(LaunchFeature.COOPERATIVE)));
    var others = Devices.of(1, 32, "", "").group().members();
    refused("different memory", () -> new LaunchGroup(List.of(members.get(0), others.get(1)), group.owners()));
  }

  private static void refused(String text, Executable making) {
    var e = assertThrows(IllegalArgumentException.class, making);
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }
}
