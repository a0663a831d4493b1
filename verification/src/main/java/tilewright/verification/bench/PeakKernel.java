package tilewright.verification.bench;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Kernels that do one arithmetic instruction without end and read nothing: what they reach is the limit of that
 * arithmetic on a GPU, at the clock that its power allows. Operands are neither zero nor equal, as in real work.
 */
enum PeakKernel {
  /** Fused multiply-adds of FP32, 16 chains a thread, each 8 long in an iteration. */
  F32_FMA("f32", 80, 256, 8, 8 * 2.0 * 256 * 16) {
    @Override
    String body() {
      return registers("f32", "%f", 16) + ".reg .f32 %x, %y;\n"
          + eachRegister(16, "cvt.rn.f32.u32 %%f%1$d, %%thread;\n")
          + "mov.f32 %x, 0f3F7FFF00;\nmov.f32 %y, 0f3A83126F;\n"
          + loop(eachRegister(16, "fma.rn.f32 %%f%1$d, %%f%1$d, %%x, %%y;\n").repeat(8)) + keep(16);
    }
  },
  /** {@code mma.sync} of bf16, 8 chains a warp. */
  BF16_MMA("bf16", 80, 256, 2, 8 * 8 * 2.0 * 16 * 8 * 16) {
    @Override
    String body() {
      return mma("m16n8k16", "bf16", 0x3C013C03);
    }
  },
  /** {@code mma.sync} of tf32, 8 chains a warp. */
  TF32_MMA("tf32", 80, 256, 2, 8 * 8 * 2.0 * 16 * 8 * 8) {
    @Override
    String body() {
      return mma("m16n8k8", "tf32", 0x3C012000);
    }
  },
  /** {@code wgmma} of bf16 from shared memory, 8 in a group, 2 warpgroups an SM. */
  BF16_WGMMA("bf16", 90, 256, 1, 8 * 2 * 2.0 * 64 * 256 * 16) {
    @Override
    String body() {
      return wgmma("m64n256k16", "bf16", ", 0, 0");
    }
  },
  /** {@code wgmma} of e4m3. */
  FP8_WGMMA("fp8", 90, 256, 1, 8 * 2 * 2.0 * 64 * 256 * 32) {
    @Override
    String body() {
      return wgmma("m64n256k32", "e4m3", "");
    }
  },
  /** {@code wgmma} of tf32. */
  TF32_WGMMA("tf32", 90, 256, 1, 8 * 2 * 2.0 * 64 * 256 * 8) {
    @Override
    String body() {
      return wgmma("m64n256k8", "tf32", "");
    }
  };

  static final String ENTRY = "peak";

  private final String limit;
  private final int capability;
  private final int threads;
  private final int blocksPerMultiprocessor;
  private final double operations;

  /** @param operations of a block in one iteration */
  PeakKernel(String limit, int capability, int threads, int blocksPerMultiprocessor, double operations) {
    this.limit = limit;
    this.capability = capability;
    this.threads = threads;
    this.blocksPerMultiprocessor = blocksPerMultiprocessor;
    this.operations = operations;
  }

  /** The name of the limit that it measures; of several kernels the fastest counts. */
  String limit() {
    return limit;
  }

  /** Hopper's warpgroup instructions are no other architecture's. */
  boolean runsOn(int device) {
    return capability == 90 ? device == 90 : device >= capability;
  }

  int threads() {
    return threads;
  }

  int blocksPerMultiprocessor() {
    return blocksPerMultiprocessor;
  }

  double operations() {
    return operations;
  }

  abstract String body();

  /** A module whose entry takes an address to write to, and the number of iterations. */
  String ptx() {
    return """
        .version 8.0
        .target %s
        .address_size 64
        .visible .entry peak(.param .u64 out, .param .u32 iterations)
        {
        .reg .pred %%more, %%never;
        .reg .b32 %%thread, %%left, %%seed;
        .reg .b64 %%out;
        ld.param.u64 %%out, [out];
        ld.param.u32 %%left, [iterations];
        mov.u32 %%thread, %%tid.x;
        %sret;
        }
        """.formatted(capability == 90 ? "sm_90a" : "sm_80", body());
  }

  private static String mma(String shape, String type, int base) {
    var operands = IntStream.range(0, 6).mapToObj(i -> "add.u32 %%r%d, %%seed, %d;\n".formatted(i, base + (i << 17)))
        .collect(Collectors.joining());
    var chains = IntStream.range(0, 8).mapToObj(c -> """
        mma.sync.aligned.%s.row.col.f32.%s.%s.f32 {%s}, {%%r0, %%r1, %%r2, %%r3}, {%%r4, %%r5}, {%s};
        """.formatted(shape, type, type, list(4 * c, 4), list(4 * c, 4))).collect(Collectors.joining());
    return registers("f32", "%f", 32) + registers("b32", "%r", 6) + "shl.b32 %seed, %thread, 16;\n" + operands
        + eachRegister(32, "mov.f32 %%f%1$d, 0f00000000;\n") + loop(chains) + keep(32);
  }

  private static String wgmma(String shape, String type, String transposition) {
    // Matrix descriptors without swizzle: address / 16, leading offset 8 and stride 16, in units of 16 bytes.
    var setup = """
        .shared .align 128 .b8 tiles[16384];
        .reg .b32 %base, %at;
        .reg .b64 %a, %b;
        mov.u32 %base, tiles;
        mad.lo.u32 %at, %thread, 64, %base;
        mad.lo.u32 %seed, %thread, 65537, 1006648323;
        """ + IntStream.range(0, 16).mapToObj(i -> "st.shared.b32 [%%at+%d], %%seed;\nadd.u32 %%seed, %%seed, 131074;\n"
            .formatted(4 * i)).collect(Collectors.joining()) + """
        fence.proxy.async;
        bar.sync 0;
        shr.u32 %at, %base, 4;
        cvt.u64.u32 %a, %at;
        or.b64 %a, %a, 68720001024;
        add.s64 %b, %a, 256;
        """;
    var one = "wgmma.mma_async.sync.aligned.%s.f32.%s.%s {%s}, %%a, %%b, 1, 1, 1%s;\n"
        .formatted(shape, type, type, list(0, 128), transposition);
    return registers("f32", "%f", 128) + setup + eachRegister(128, "mov.f32 %%f%1$d, 0f00000000;\n")
        + loop("wgmma.fence.sync.aligned;\n" + one.repeat(8)
            + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n") + keep(128);
  }

  private static String registers(String type, String name, int count) {
    return ".reg .%s %s<%d>;\n".formatted(type, name, count);
  }

  private static String eachRegister(int count, String format) {
    return IntStream.range(0, count).mapToObj(format::formatted).collect(Collectors.joining());
  }

  private static String list(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(i -> "%f" + i).collect(Collectors.joining(", "));
  }

  private static String loop(String body) {
    return "again:\n" + body + "sub.u32 %left, %left, 1;\nsetp.ne.u32 %more, %left, 0;\n@%more bra again;\n";
  }

  /** A store that never happens, but keeps the assembler from dropping the work. */
  private static String keep(int count) {
    return IntStream.range(1, count).mapToObj("add.f32 %%f0, %%f0, %%f%d;\n"::formatted).collect(Collectors.joining())
        + "setp.eq.f32 %never, %f0, 0f7F7FFFFF;\n@%never st.global.f32 [%out], %f0;\n";
  }
}
