package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Bulk copies in clusters, edited tensor maps and bulk reductions leave what they left on an H200. */
class RecordedKernelsTest {
  private static final int THREADS = 128;
  private static final int RANKS = 4;
  private static final int CLUSTERS = 56;
  private static final int EDITS = 15;
  private static final int REDUCED = 512;
  private static final TensorView MATRIX =
      TensorView.of(TensorElement.U16, List.of(64L, 100L), List.of(128L));

  private static void run(String ptx, Dim3 grid, Dim3 cluster, Map<String, MemorySegment> buffers,
      List<Argument> arguments) {
    var launch = new Launch(ptx, "k", grid, Dim3.of(THREADS), cluster, 0, buffers, arguments);
    assertEquals(List.of(), Simulator.load(ptx).run(launch, SimulatorOptions.defaults()).findings());
  }

  private static Argument map(TensorView view) {
    return new Argument.TensorMapOf(new Argument.Buffer("a"), new TensorMap.Tiled(view, List.of(64, 8)));
  }

  /** Multicast by address and by tensor map, copies and reductions between blocks; recorded is what changed. */
  @Test
  void copiesInClusters() {
    var a = Resources.bytes("cluster.a.bin.gz");
    var expected = Resources.bytes("cluster.out.bin.gz");
    for (int block = 0; block < RANKS * CLUSTERS; block++) {
      for (int k = 0; k < TmaKernel.REGION; k++) {
        expected[block * TmaKernel.IMAGE + k] ^= a[block % RANKS * TmaKernel.REGION + k];
      }
    }
    var out = new byte[expected.length];
    run(Resources.text("cluster.ptx"), Dim3.of(RANKS * CLUSTERS), Dim3.of(RANKS),
        Map.of("a", MemorySegment.ofArray(a), "cases", MemorySegment.ofArray(Resources.bytes("cluster.cases.bin")),
            "out", MemorySegment.ofArray(out)),
        List.of(new Argument.Struct(4096, List.of(
            new Argument.Field(0, map(MATRIX.withSwizzle(SwizzleMode.B128))))), new Argument.Buffer("cases"),
            new Argument.Buffer("a"), new Argument.Buffer("out")));
    int first = Arrays.mismatch(expected, out);
    assertEquals(-1, first, "byte " + first % TmaKernel.IMAGE + " of block " + first / TmaKernel.IMAGE);
  }

  /** Each block replaces other fields of the same map, and loads by what comes out. */
  @Test
  void editedTensorMaps() {
    var out = new byte[EDITS * TmaKernel.IMAGE];
    run(Resources.text("replace.ptx"), Dim3.of(EDITS), Dim3.ONE,
        Map.of("a", MemorySegment.ofArray(Resources.words(1 << 15, 1, 0)),
            "scratch", MemorySegment.ofArray(new byte[128 * EDITS]), "out", MemorySegment.ofArray(out)),
        List.of(map(MATRIX), new Argument.Buffer("a"), new Argument.Buffer("a"), new Argument.Buffer("scratch"),
            new Argument.Buffer("out")));
    int first = Arrays.mismatch(Resources.summed(Resources.bytes("replace.bin.gz")), out);
    assertEquals(-1, first, "byte " + first % TmaKernel.IMAGE + " of block " + first / TmaKernel.IMAGE);
  }

  /** Raw bits, with many special values: source, destination before, destination after. */
  @Test
  void reductionsByAddress() {
    var instructions = Resources.lines("reductions1d.txt");
    var recorded = Resources.bytes("reductions1d.bin.gz");
    for (int k = 0; k < instructions.size(); k++) {
      var source = Arrays.copyOfRange(recorded, 3 * k * REDUCED, (3 * k + 1) * REDUCED);
      var target = Arrays.copyOfRange(recorded, (3 * k + 1) * REDUCED, (3 * k + 2) * REDUCED);
      var expected = Arrays.copyOfRange(recorded, (3 * k + 2) * REDUCED, (3 * k + 3) * REDUCED);
      run(reduction(instructions.get(k)), Dim3.ONE, Dim3.ONE,
          Map.of("source", MemorySegment.ofArray(source), "target", MemorySegment.ofArray(target)),
          List.of(new Argument.Buffer("source"), new Argument.Buffer("target")));
      assertArrayEquals(expected, target, instructions.get(k));
    }
  }

  private static String reduction(String instruction) {
    return """
        .version 8.6
        .target sm_90a
        .address_size 64
        .visible .entry k(.param .u64 source, .param .u64 target)
        {
          .reg .b64 %%d<4>;
          .reg .b32 %%r<4>;
          .reg .pred %%p;
          .shared .align 128 .b8 smem[512];
          ld.param.u64 %%d0, [source];
          ld.param.u64 %%d1, [target];
          mov.u32 %%r0, %%tid.x;
          mul.wide.u32 %%d2, %%r0, 4;
          add.u64 %%d0, %%d0, %%d2;
          ld.global.u32 %%r1, [%%d0];
          shl.b32 %%r2, %%r0, 2;
          mov.u32 %%r3, smem;
          add.u32 %%r2, %%r2, %%r3;
          st.shared.u32 [%%r2], %%r1;
          fence.proxy.async;
          bar.sync 0;
          setp.ne.u32 %%p, %%r0, 0;
          @%%p bra DONE;
          %s [%%d1], [%%r3], 512;
          cp.async.bulk.commit_group;
          cp.async.bulk.wait_group 0;
        DONE:
          ret;
        }
        """.formatted(instruction);
  }
}
