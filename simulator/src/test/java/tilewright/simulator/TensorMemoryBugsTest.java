package tilewright.simulator;

import java.util.List;

/** As {@link AsyncBugsTest}, for {@code tcgen05} and Tensor Memory. */
class TensorMemoryBugsTest implements PlantedBugs {
  /**
   * q0: is thread 0; q1: holds; q9: is not of warp 0; r10: the instruction descriptor, of 128 by 8; r11: this thread's
   * 32 bytes of the matrices, which l0 describes; r12: the mbarrier, which thread 0 initialises; r13: where the
   * address of Tensor Memory goes.
   */
  private static final String NAMES = """
      .shared .align 1024 .b8 a[4096];
      .shared .align 8 .b64 bar;
      .shared .align 4 .b32 slot[2];
      mov.u32 %r9, a;
      mad.lo.u32 %r11, %t, 32, %r9;
      shr.u32 %r1, %r9, 4;
      cvt.u64.u32 %l0, %r1;
      or.b64 %l0, %l0, 0x0000401000080000;
      mov.u32 %r10, 0x08020010;
      mov.u32 %r12, bar;
      mov.u32 %r13, slot;
      shr.u32 %r8, %t, 5;
      setp.ne.u32 %q9, %r8, 0;
      setp.eq.u32 %q0, %t, 0;
      setp.eq.u32 %q1, %t, %t;
      mov.u32 %r0, 0;
      mov.u32 %r20, 0;
      mov.u32 %r21, 0;
      @%q0 mbarrier.init.shared.b64 [%r12], 1;
      @%q0 fence.mbarrier_init.release.cluster;
      """;
  private static final String WRITE = """
      st.shared.v4.u32 [%r11], {%r0, %r0, %r0, %r0};
      st.shared.v4.u32 [%r11+16], {%r0, %r0, %r0, %r0};
      fence.proxy.async.shared::cta;
      """;
  private static final String SYNC =
      "tcgen05.fence::before_thread_sync;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n";

  private static String allocate(String label) {
    return "@%q9 bra " + label + ";\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r13], 32;\n" + label
        + ":\n";
  }

  private static String free(String label) {
    return "@%q9 bra " + label + ";\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r14, 32;\n" + label + ":\n";
  }

  /** All threads have the address in r14, and that of their warp's lanes in r15. */
  private static final String ADDRESS = """
      ld.shared.b32 %r14, [%r13];
      shl.b32 %r15, %r8, 21;
      add.u32 %r15, %r15, %r14;
      """;
  private static final String START = NAMES + WRITE + allocate("ALLOCATED") + SYNC + ADDRESS;
  private static final String END = SYNC + free("FREED");
  private static final String MULTIPLY = "@%q0 tcgen05.mma.cta_group::1.kind::f16 [%r14], %l0, %l0, %r10, !%q1;";
  private static final String ADD = MULTIPLY.replace("!%q1", "%q1");
  private static final String COMMIT =
      "@%q0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r12];\n";
  private static final String AWAIT =
      "W: mbarrier.try_wait.parity.shared.b64 %q2, [%r12], 0;\n@!%q2 bra W;\n";
  private static final String AFTER = "tcgen05.fence::after_thread_sync;";
  private static final String BEFORE = "tcgen05.fence::before_thread_sync;";
  private static final String LOAD = "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r20, %r21}, [%r15];";
  private static final String LOADED = "tcgen05.wait::ld.sync.aligned;";
  private static final String STORE = "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r15], {%r20, %r21};";
  private static final String STORED = "tcgen05.wait::st.sync.aligned;";
  /** All eight columns of the accumulator. */
  private static final String CLEAR =
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r15], {%r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0};\n" + STORED + "\n";

  private static final List<SeededBug> BUGS = List.of(
      bug("a product loaded before it is done", Finding.Kind.RACE, START + MULTIPLY + " // THERE\n" + COMMIT
          + "BAD[bar.sync 0;]\nFIX[" + AWAIT.replace("\n", "]\nFIX[") + AFTER + "]\n" + LOAD + " // HERE\n" + LOADED
          + "\n" + "BAD[" + AWAIT.replace("\n", "]\nBAD[") + "]\n" + END,
          "loads from tensor memory lanes ", "which thread (0,0,0)", "with nothing that orders the two",
          "commit the earlier operation to an mbarrier"),
      bug("a product awaited without the tcgen05 fence behind it", Finding.Kind.MISSING_FENCE, START + MULTIPLY
          + " // THERE\n" + COMMIT + AWAIT + "FIX[" + AFTER + "]\n" + LOAD + " // HERE\n" + LOADED + "\n" + END,
          "ordered but for a tcgen05 fence", "tcgen05.fence::after_thread_sync behind it"),
      bug("a barrier without the tcgen05 fence before it", Finding.Kind.MISSING_FENCE, START
          + CLEAR.replace("\n" + STORED, " // THERE\n" + STORED) + "FIX[" + BEFORE + "]\nbar.sync 0;\n" + AFTER + "\n"
          + ADD + " // HERE\n" + COMMIT + AWAIT + AFTER + "\n" + END,
          "multiplies with tensor memory lanes", "ordered but for a tcgen05 fence"),
      bug("a store to tensor memory that nobody waited for", Finding.Kind.RACE, START + STORE + " // THERE\n"
          + "FIX[" + STORED + "]\n" + LOAD + " // HERE\n" + LOADED + "\n" + STORED + "\n" + END,
          "loads from tensor memory", "put tcgen05.wait::st behind the earlier store"),
      bug("tensor memory overwritten while a load still reads it", Finding.Kind.RACE, START + STORE + "\n" + STORED
          + "\n" + LOAD + " // THERE\n" + "FIX[" + LOADED + "]\n" + STORE.replace("{%r20, %r21}", "{%r0, %r0}")
          + " // HERE\n" + STORED + "\n" + LOADED + "\n" + END,
          "stores to tensor memory", "put tcgen05.wait::ld behind the earlier load"),
      bug("registers used before tcgen05.wait::ld", Finding.Kind.PENDING_LOAD_READ, START + STORE + "\n" + STORED
          + "\n" + LOAD + " // THERE\n" + "FIX[" + LOADED + "]\nadd.u32 %r1, %r20, 1; // HERE\n" + LOADED + "\n" + END,
          "reads a register that the load from tensor memory at line", "before tcgen05.wait::ld"),
      bug("a sum added to what nobody has written", Finding.Kind.UNINITIALIZED_READ, START
          + "BAD[" + ADD + " // HERE]\nFIX[" + MULTIPLY + "]\n" + COMMIT + AWAIT + AFTER + "\n" + END,
          "tensor memory lane 0, column 0, which nobody has written", "enable-input-d false"),
      bug("tensor memory freed while a product still uses it", Finding.Kind.RACE, START + MULTIPLY + " // THERE\n"
          + COMMIT + "FIX[" + AWAIT.replace("\n", "]\nFIX[") + AFTER + "]\n"
          + END.replace("%r14, 32;", "%r14, 32; // HERE") + "BAD[" + AWAIT.replace("\n", "]\nBAD[") + "]\n",
          "frees tensor memory lanes", "then a barrier, before freeing it"),
      bug("tensor memory that is not freed", Finding.Kind.TENSOR_MEMORY_LEAK, START.replace("[%r13], 32;",
          "[%r13], 32; // HERE") + "FIX[" + END.replace("\n", "]\nFIX[") + "]\n", "free it with tcgen05.dealloc"),
      bug("the place of an address overwritten by the next allocation while others read it", Finding.Kind.RACE,
          NAMES + WRITE + allocate("ALLOCATED") + SYNC + ADDRESS.replace("[%r13];", "[%r13]; // THERE")
          + "FIX[" + SYNC.replace("\n", "]\nFIX[") + "]\n" + free("FREED")
          + allocate("AGAIN").replace("[%r13], 32;", "[%r13], 32; // HERE") + SYNC + ADDRESS
          + SYNC + free("END"), "shared 'slot' + 0", "thread (", "of the same block (warp ",
          "with nothing that orders the two"),
      bug("an old address used after the columns went to the next allocation", Finding.Kind.RACE, START + STORE + "\n"
          + STORED + "\n" + SYNC + free("DROPPED") + allocate("AGAIN").replace("[%r13], 32;", "[%r13+4], 32; // THERE")
          + """
          BAD[@%q0 st.relaxed.gpu.global.u32 [%p0], 1;]
          BAD[SPIN: ld.relaxed.gpu.global.u32 %r3, [%p0];]
          BAD[setp.eq.u32 %q3, %r3, 0;]
          BAD[@%q3 bra SPIN;]
          """ + "FIX[" + (SYNC + ADDRESS.replace("[%r13]", "[%r13+4]") + STORE + "\n" + STORED).replace("\n", "]\nFIX[")
          + "]\n" + LOAD + " // HERE\n" + LOADED + "\n" + END, "loads from tensor memory lanes ",
          "which thread (0,0,0) of block (0,0,0) allocates at line", "with nothing that orders the two"),
      bug("a matrix written without a proxy fence", Finding.Kind.MISSING_PROXY_FENCE, NAMES
          + WRITE.replace("fence.proxy.async.shared::cta;", "FIX[fence.proxy.async.shared::cta;]")
          .replace("%r0};", "%r0}; // THERE") + allocate("ALLOCATED") + SYNC + ADDRESS + MULTIPLY + " // HERE\n"
          + COMMIT + AWAIT + AFTER + "\n" + END, "reads shared 'a' + ", "through the asynchronous proxy"),
      bug("a matrix overwritten before the product was committed and awaited", Finding.Kind.RACE, START + MULTIPLY
          + " // THERE\n" + COMMIT + "FIX[" + AWAIT.replace("\n", "]\nFIX[") + "]\nbar.sync 0;\n"
          + "st.shared.u32 [%r11], %t; // HERE\nBAD[" + AWAIT.replace("\n", "]\nBAD[") + "]\n" + AFTER + "\n" + END,
          "writes shared 'a' + ", "the source of an asynchronous operation"));

  private static SeededBug bug(String name, Finding.Kind kind, String body, String... facts) {
    return SeededBug.sm100(name, 1, 128, kind, body, facts);
  }

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }
}
