package tilewright.simulator.tensormap;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.simulator.Program;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Runs {@link TmaCase cases} in the simulator, each in a CTA of its own. */
public final class TmaKernel {
  /** The most cases of one launch, by the size of the kernel's parameters. */
  public static final int MOST_CASES = 240;
  /** Shared memory that a case may use. */
  public static final int REGION = 8192;
  /** What a load leaves of a case: the region, whether its mbarrier was told of all bytes, and nothing. */
  public static final int IMAGE = REGION + 16;

  private static final int MAP = Argument.TENSOR_MAP_BYTES;
  private static final int THREADS = 128;

  private final String ptx;
  private final Program program;

  private TmaKernel(String ptx) {
    this.ptx = ptx;
    program = Simulator.load(ptx);
  }

  /** @param target such as {@code sm_100a} */
  public static TmaKernel loads(String target) {
    return new TmaKernel(Resources.text("load.ptx").replace("sm_90a", target));
  }

  public static TmaKernel stores(String target) {
    return new TmaKernel(Resources.text("store.ptx").replace("sm_90a", target));
  }

  /** Loads of parts of {@code tensors}; the images go to {@code out}, {@link #IMAGE} bytes a case. */
  public SimulationResult load(List<TmaCase> cases, byte[] tensors, byte[] out, SimulatorOptions options) {
    return run(cases, 0, Map.of("tensors", tensors, "out", out), "out", options);
  }

  /** Stores from {@code shared} to {@code tensors}, where each case has {@code stride} bytes of its own. */
  public SimulationResult store(List<TmaCase> cases, byte[] shared, byte[] tensors, int stride,
      SimulatorOptions options) {
    return run(cases, stride, Map.of("tensors", tensors, "shared", shared), "shared", options);
  }

  private SimulationResult run(List<TmaCase> cases, int stride, Map<String, byte[]> arrays, String second,
      SimulatorOptions options) {
    var buffers = new java.util.HashMap<String, MemorySegment>();
    arrays.forEach((name, bytes) -> buffers.put(name, MemorySegment.ofArray(bytes)));
    var records = new java.io.ByteArrayOutputStream();
    var fields = new ArrayList<Argument.Field>();
    for (var c : cases) {
      var place = new Argument.Buffer("tensors", c.tensor() + (long) stride * fields.size());
      fields.add(new Argument.Field(MAP * fields.size(), new Argument.TensorMapOf(place, c.map())));
      records.writeBytes(c.record());
    }
    buffers.put("cases", MemorySegment.ofArray(records.toByteArray()));
    return program.run(new Launch(ptx, "k", Dim3.of(cases.size()), Dim3.of(THREADS), Dim3.ONE, 0, buffers,
        List.of(new Argument.Struct(MAP * MOST_CASES, fields), new Argument.Buffer("cases"),
            new Argument.Buffer(second))), options);
  }
}
