package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.tensormap.TensorDescriptor;
import tilewright.simulator.tensormap.TensorMapBytes;

/**
 * Kernels that begin before earlier ones of their stream have ended (PTX ISA, griddepcontrol): these may write every
 * buffer but the first, which they only read.
 */
class EarlierGridsTest implements PlantedBugs {
  /** As for copies to and from global memory; r1: zero. */
  private static final String START = GlobalCopyBugsTest.START + "mov.u32 %r1, 0;\n";
  private static final String WAIT = "griddepcontrol.wait;\n";
  private static final String FIX_WAIT = "FIX[griddepcontrol.wait;]\n";
  private static final String READ = "ld.global.u32 %r0, [%l1]; // HERE\n";
  private static final String LOADED = """
      @%q0 mbarrier.arrive.expect_tx.shared.b64 _, [%r12], 256;
      @%q0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%p1], 256, [%r12]; // HERE
      """;
  private static final String TRY = "W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0;\n@!%q2 bra W;\n";
  private static final String STORED = "@%q0 cp.async.bulk.commit_group;\n@%q0 cp.async.bulk.wait_group 0;\n";

  private static SeededBug bug(String name, int blocks, Finding.Kind kind, String body, String... facts) {
    return SeededBug.programmatic(name, blocks, 64, kind, START + body, facts);
  }

  private static final List<SeededBug> BUGS = List.of(
      bug("a read of what an earlier kernel may still write", 1, Finding.Kind.MISSING_GRID_WAIT, FIX_WAIT + READ,
          " of block (0,0,0) reads 'arg1' + ", ", which an earlier kernel of the stream may still write: nothing",
          "put griddepcontrol.wait before it", "if no earlier kernel writes 'arg1'", "[64 times]"),
      bug("a wait for earlier kernels behind the read", 1, Finding.Kind.MISSING_GRID_WAIT,
          FIX_WAIT + READ + "BAD[griddepcontrol.wait;]\n", "reads 'arg1' + "),
      bug("a write to what an earlier kernel may still read", 1, Finding.Kind.MISSING_GRID_WAIT,
          "griddepcontrol.launch_dependents;\n" + FIX_WAIT + "st.global.u32 [%l0], %t; // HERE\n",
          "writes 'arg0' + ", ", which an earlier kernel of the stream may still read: nothing"),
      bug("an atomic operation before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT,
          FIX_WAIT + "red.relaxed.gpu.global.add.u32 [%p1], 1; // HERE\n", "updates 'arg1' + 0"),
      bug("a cp.async before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT, FIX_WAIT
          + "cp.async.ca.shared.global [%r11], [%l1], 4; // HERE\ncp.async.wait_all;\n", "asynchronously reads 'arg1'"),
      bug("a bulk copy before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT,
          FIX_WAIT + LOADED + TRY, "asynchronously reads 'arg1' + 0"),
      bug("a bulk reduction before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT, FIX_WAIT
          + "@%q0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p1], [%r10], 256; // HERE\n" + STORED,
          "asynchronously updates 'arg1' + 0"),
      bug("a tensor store before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT, FIX_WAIT
          + "@%q0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {%r1, %r1}], [%r10]; // HERE\n" + STORED,
          "asynchronously writes 'arg0' + 0"),
      bug("a wait for earlier kernels that no barrier hands on to other threads", 1, Finding.Kind.MISSING_GRID_WAIT,
          "@%q0 griddepcontrol.wait;\nFIX[bar.sync 0;]\n" + READ, "or in one that hands over to it", "[63 times]"),
      bug("an arrival before the wait for earlier kernels", 1, Finding.Kind.MISSING_GRID_WAIT,
          "FIX[@%q0 griddepcontrol.wait;]\n@%q0 mbarrier.arrive.shared.b64 _, [%r12];\n"
          + "BAD[@%q0 griddepcontrol.wait;]\n" + TRY + READ, "thread (1,0,0)"),
      bug("a relaxed arrival of the block that waits for earlier kernels", 2, Finding.Kind.MISSING_GRID_WAIT, """
          mov.u32 %r2, %cluster_ctarank;
          setp.eq.u32 %q1, %r2, 0;
          @%q1 griddepcontrol.wait;
          FIX[barrier.cluster.arrive;]
          BAD[barrier.cluster.arrive.relaxed;]
          barrier.cluster.wait;
          """ + READ, "of block (1,0,0)"));

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }

  private static List<Finding> findings(Launch launch) {
    return Simulator.load(launch.ptx()).run(launch, Kernels.SANITIZED).findings();
  }

  private static Launch launch(String variables, String body) {
    var ptx = Kernels.kernel("sm_90", 2, variables, body);
    return Kernels.launch(ptx, Dim3.of(2), Dim3.of(32), 0, new int[64], new int[64]);
  }

  @Test
  void onlyTheWaitOfAProgrammaticLaunchIsMissed() {
    var early = launch("", "add.s64 %l1, %p1, %t4;\nld.global.u32 %r0, [%l1];\n");
    assertEquals(List.of(), findings(early));
    assertEquals(List.of(), findings(early.with(LaunchFeature.COOPERATIVE)));
    assertEquals(1, findings(early.with(LaunchFeature.PROGRAMMATIC)).size());
    assertEquals(List.of(), findings(early.with(LaunchFeature.PROGRAMMATIC).withAhead("arg1")));
  }

  @ParameterizedTest
  @CsvSource({"const, 0", "global, 1"})
  void earlierKernelsMayHaveWrittenTheModulesVariablesButNoConstants(String space, int found) {
    var launch = launch("." + space + " .u32 v = 7;", "ld." + space + ".u32 %r0, [v];");
    var findings = findings(launch.with(LaunchFeature.PROGRAMMATIC));
    assertEquals(found, findings.size());
    for (var finding : findings) assertTrue(finding.message().contains("reads 'v' + 0, which"), finding.message());
  }

  /** The second buffer holds a map of the first. */
  @ParameterizedTest
  @CsvSource({"false, 1", "true, 0"})
  void aTensorMapInMemoryIsReadByItsCopies(boolean waits, int found) {
    var copy = LOADED.replace("bulk.shared", "bulk.tensor.2d.shared").replace("[%p1], 256", "[%p1, {%r1, %r1}]");
    var ptx = Kernels.kernel("sm_90", 2, "", (waits ? START + WAIT : START) + copy + TRY);
    var map = TensorMapBytes.encode(TensorDescriptor.of(SeededBug.MAP, AddressSpace.base(0)));
    var launch = Kernels.launch(ptx, Dim3.ONE, Dim3.of(64), 0, new int[1024], map);
    var findings = findings(launch.with(LaunchFeature.PROGRAMMATIC).withAhead("arg0"));
    assertEquals(found, findings.size());
    for (var finding : findings) assertTrue(finding.message().contains("reads 'arg1' + 0, which"), finding.message());
  }
}
