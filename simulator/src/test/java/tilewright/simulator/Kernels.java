package tilewright.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;

/** Builds and runs small PTX kernels whose parameters are buffers. */
public final class Kernels {
  static final SimulatorOptions PLAIN = SimulatorOptions.defaults();
  static final SimulatorOptions SANITIZED = PLAIN.withSanitizer(true);

  private Kernels() {}

  /**
   * A module with one kernel {@code k} of so many 64-bit pointer parameters, loaded into %p0, %p1, …; t is the thread.
   */
  static String kernel(int buffers, String body) {
    return kernel("sm_80", buffers, "", body);
  }

  static String kernel(String target, int buffers, String moduleItems, String body) {
    return kernel(target, buffers, List.of(), moduleItems, body);
  }

  /** @param more parameters behind the pointers */
  static String kernel(String target, int buffers, List<String> more, String moduleItems, String body) {
    var parameters = new ArrayList<String>();
    var loads = new StringBuilder();
    for (int i = 0; i < buffers; i++) {
      parameters.add(".param .u64 arg" + i);
      loads.append("  ld.param.u64 %p").append(i).append(", [arg").append(i).append("];\n");
    }
    parameters.addAll(more);
    return """
        .version 8.8
        .target %s
        .address_size 64
        %s
        .visible .entry k(%s)
        {
          .reg .b64 %%p<8>, %%l<32>;
          .reg .b32 %%r<64>;
          .reg .b16 %%h<16>;
          .reg .f32 %%f<32>;
          .reg .f64 %%d<16>;
          .reg .pred %%q<16>;
          .reg .b32 %%t;
          .reg .b64 %%t4, %%t8;
        %s
          mov.u32 %%t, %%tid.x;
          mul.wide.u32 %%t4, %%t, 4;
          mul.wide.u32 %%t8, %%t, 8;
        %s
          ret;
        }
        """.formatted(target, moduleItems, String.join(", ", parameters), loads, body);
  }

  static SimulationResult run(String ptx, int threads, SimulatorOptions options, Object... arrays) {
    return run(ptx, Dim3.ONE, Dim3.of(threads), 0, options, arrays);
  }

  /** Runs kernel {@code k} on Java arrays, which it changes in place. */
  static SimulationResult run(String ptx, Dim3 grid, Dim3 block, int dynamicShared, SimulatorOptions options,
      Object... arrays) {
    return Simulator.load(ptx).run(launch(ptx, grid, block, dynamicShared, arrays), options);
  }

  static Launch launch(String ptx, Dim3 grid, Dim3 block, int dynamicShared, Object... arrays) {
    return launch(ptx, grid, block, Dim3.ONE, dynamicShared, arrays);
  }

  public static Launch launch(String ptx, Dim3 grid, Dim3 block, Dim3 cluster, int dynamicShared, Object... arrays) {
    Map<String, MemorySegment> buffers = new LinkedHashMap<>();
    List<Launch.Argument> arguments = new ArrayList<>();
    for (int i = 0; i < arrays.length; i++) {
      buffers.put("arg" + i, segment(arrays[i]));
      arguments.add(new Launch.Argument.Buffer("arg" + i));
    }
    return new Launch(ptx, "k", grid, block, cluster, dynamicShared, buffers, arguments);
  }

  static MemorySegment segment(Object array) {
    return switch (array) {
      case byte[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case double[] a -> MemorySegment.ofArray(a);
      default -> throw new IllegalArgumentException("no array: " + array);
    };
  }

  /** The kinds of a result's findings, for comparison with what was seeded. */
  public static List<Finding.Kind> kinds(SimulationResult result) {
    return result.findings().stream().map(Finding::kind).distinct().toList();
  }
}
