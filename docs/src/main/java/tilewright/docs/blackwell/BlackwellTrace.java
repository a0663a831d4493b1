package tilewright.docs.blackwell;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.Collectors;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.simulator.Profile;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.sm100.NarrowFormat;
import tilewright.sm100.NarrowLayout;
import tilewright.sm100.UmmaTypes;

/** Runs Blackwell kernels on the simulator for the pages' figures, with zeros for all inputs. */
final class BlackwellTrace {
  private BlackwellTrace() {}

  static Profile gemm(GemmProblem p, PreparedLaunch launch) {
    return profile(launch, Map.of("A", (long) p.m() * p.k() * p.operand().bytes(),
        "B", (long) p.n() * p.k() * p.operand().bytes(), "C", (long) p.m() * p.n() * p.output().bytes()));
  }

  /** The profile of a block-scaled GEMM of m × n × k. */
  static Profile scaled(UmmaTypes types, int m, int n, int k, PreparedLaunch launch) {
    var a = new NarrowLayout(new NarrowFormat(types.kind(), types.a()), m, k);
    var b = new NarrowLayout(new NarrowFormat(types.kind(), types.b()), n, k);
    return profile(launch, Map.of("A", a.elementBytes(), "B", b.elementBytes(), "SA", a.scaleBytes(),
        "SB", b.scaleBytes(), "C", (long) m * n * types.output().bytes()));
  }

  static Profile attention(AttentionProblem p, PreparedLaunch launch) {
    var s = p.sizes();
    long queries = (long) s.batch() * s.queries() * s.heads();
    long keys = (long) s.batch() * s.keys() * s.keyHeads();
    int bytes = p.type().bytes();
    return profile(launch, Map.of("Q", queries * s.headDim() * bytes, "K", keys * s.headDim() * bytes,
        "V", keys * s.valueDim() * bytes, "O", queries * s.valueDim() * bytes, "LSE", queries * Float.BYTES));
  }

  private static Profile profile(PreparedLaunch launch, Map<String, Long> bytes) {
    var buffers = bytes.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e ->
        MemorySegment.ofArray(new byte[Math.toIntExact(e.getValue())])));
    return Simulator.load(launch.kernel().module()).run(launch.on(buffers),
        SimulatorOptions.defaults().withThreads(1).withProfile(true)).profile().orElseThrow();
  }
}
