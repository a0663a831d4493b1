package tilewright.simulator.blackwell;

import java.util.ArrayList;
import tilewright.ptx.Dim3;
import tilewright.simulator.Kernels;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** Builds and runs kernels for sm_100a whose parameters are buffers, and which use Tensor Memory. */
final class Blackwell {
  static final SimulatorOptions PLAIN = SimulatorOptions.defaults();
  static final SimulatorOptions SANITIZED = PLAIN.withSanitizer(true);
  /** Where the dynamic shared memory begins that operands lie in. */
  static final int SHARED = 0;

  private Blackwell() {}

  /**
   * A kernel of 64-bit pointer parameters %p0, %p1, …; %t is the thread, %w its warp, and %sm the address of the
   * dynamic shared memory.
   */
  static String kernel(int buffers, String directives, String body) {
    var parameters = new ArrayList<String>();
    var loads = new StringBuilder();
    for (int i = 0; i < buffers; i++) {
      parameters.add(".param .u64 arg" + i);
      loads.append("  ld.param.u64 %p").append(i).append(", [arg").append(i).append("];\n");
    }
    return """
        .version 8.8
        .target sm_100a
        .address_size 64
        .extern .shared .align 1024 .b8 smem[];
        .visible .entry k(%s) %s
        {
          .reg .b64 %%p<8>, %%l<64>;
          .reg .b32 %%r<80>, %%v<256>;
          .reg .f32 %%f<256>;
          .reg .b16 %%h<4>;
          .reg .pred %%q<16>;
          .reg .b32 %%t, %%w, %%sm, %%tm;
        %s
          mov.u32 %%t, %%tid.x;
          shr.u32 %%w, %%t, 5;
          mov.u32 %%sm, smem;
        %s
          ret;
        }
        """.formatted(String.join(", ", parameters), directives, loads, body);
  }

  /** The first warp allocates, and all threads have the address in %tm; the address is kept at byte 0 of shared. */
  static String allocate(int columns) {
    return """
          setp.ne.u32 %%q15, %%w, 0;
          @%%q15 bra ALLOCATED;
          tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%sm], %d;
          tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
        ALLOCATED:
          tcgen05.fence::before_thread_sync;
          bar.sync 0;
          tcgen05.fence::after_thread_sync;
          ld.shared.b32 %%tm, [%%sm];
        """.formatted(columns);
  }

  /** All threads are done with the memory, which the first warp then frees. */
  static String free(int columns) {
    return """
          tcgen05.fence::before_thread_sync;
          bar.sync 0;
          tcgen05.fence::after_thread_sync;
          setp.ne.u32 %%q15, %%w, 0;
          @%%q15 bra FREED;
          tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tm, %d;
        FREED:
        """.formatted(columns);
  }

  /** Registers {@code prefix0} to the last, in braces. */
  static String vector(String prefix, int count) {
    var names = new ArrayList<String>();
    for (int i = 0; i < count; i++) names.add(prefix + i);
    return "{" + String.join(", ", names) + "}";
  }

  static SimulationResult run(String ptx, int blocks, int cluster, int threads, int shared, SimulatorOptions options,
      Object... arrays) {
    return runUnassembled(Ptxas.checked(ptx), blocks, cluster, threads, shared, options, arrays);
  }

  /** The same for what the assembler refuses too. */
  static SimulationResult runUnassembled(String ptx, int blocks, int cluster, int threads, int shared,
      SimulatorOptions options, Object... arrays) {
    var launch = Kernels.launch(ptx, Dim3.of(blocks), Dim3.of(threads), Dim3.of(cluster), shared, arrays);
    return Simulator.load(ptx).run(launch, options);
  }
}
