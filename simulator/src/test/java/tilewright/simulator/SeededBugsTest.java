package tilewright.simulator;

import java.util.List;

/** Kernels with one classical mistake each, and the same without it: the report names the place, the twin is clean. */
class SeededBugsTest implements PlantedBugs {

  /** r11: this thread's word of the tile; r13: the word of the same lane of the other warp. */
  private static final String TILE = """
      .shared .align 16 .b8 tile[256];
      mov.u32 %r10, tile;
      shl.b32 %r9, %t, 2;
      add.u32 %r11, %r9, %r10;
      xor.b32 %r12, %t, 32;
      shl.b32 %r12, %r12, 2;
      add.u32 %r13, %r12, %r10;
      setp.eq.u32 %q0, %t, 0;
      add.s64 %l4, %p0, %t4;
      """;

  private static final List<SeededBug> BUGS = List.of(
      SeededBug.sm80("a missing barrier", 1, 64, Finding.Kind.RACE, TILE + """
          st.shared.u32 [%r11], %t; // THERE
          FIX[bar.sync 0;]
          ld.shared.u32 %r0, [%r13]; // HERE
          """, List.of("shared 'tile' + ", "of the same block (warp ", "__syncthreads()")),
      SeededBug.sm80("a missing __syncwarp among lanes", 1, 32, Finding.Kind.RACE, TILE + """
          st.shared.u32 [%r11], %t; // THERE
          FIX[bar.warp.sync -1;]
          xor.b32 %r1, %r9, 4;
          add.u32 %r2, %r1, %r10;
          ld.shared.u32 %r0, [%r2]; // HERE
          """, List.of("thread (0,0,0) of block (0,0,0) reads shared 'tile' + 4 (now 0x1)",
          "thread (1,0,0) of the same warp (warp 0) writes", "__syncwarp()")),
      SeededBug.sm80("a missing cp.async wait", 1, 32, Finding.Kind.PENDING_COPY_READ, TILE + """
          cp.async.ca.shared.global [%r11], [%l4], 4; // THERE
          cp.async.commit_group;
          FIX[cp.async.wait_group 0;]
          ld.shared.u32 %r0, [%r11]; // HERE
          """, List.of("thread (0,0,0) of block (0,0,0) reads shared 'tile' + 0", "destination of an asynchronous copy",
          "cp.async.wait_group")),
      SeededBug.sm80("a wait_group that is off by one", 1, 32, Finding.Kind.PENDING_COPY_READ, TILE + """
          cp.async.ca.shared.global [%r11], [%l4], 4; // THERE
          cp.async.commit_group;
          cp.async.ca.shared.global [%r11+128], [%l4], 4;
          cp.async.commit_group;
          BAD[cp.async.wait_group 2;]
          FIX[cp.async.wait_group 1;]
          ld.shared.u32 %r0, [%r11]; // HERE
          cp.async.wait_all;
          """, List.of("reads shared 'tile' + 0", "before that has been waited for")),
      SeededBug.sm80("a barrier in divergent code", 1, 64, Finding.Kind.BARRIER_DIVERGENCE, """
          setp.lt.u32 %q0, %t, 16;
          @%q0 bra ELSE;
          BAD[bar.sync 0; // HERE]
          bra JOIN;
          ELSE: add.u32 %r0, %r0, 1;
          BAD[bar.sync 0; // THERE]
          JOIN:
          FIX[bar.sync 0;]
          """, List.of("warp 0 lanes 16-31 waits at line", "warp 0 lanes 0-15 waits at line")),
      SeededBug.sm80("counts of a named barrier that differ", 1, 96, Finding.Kind.INVALID_OPERATION, """
          shr.u32 %r1, %t, 5;
          setp.eq.u32 %q0, %r1, 0;
          @%q0 bra PRODUCER;
          bar.sync 1, 96; // THERE
          bra END;
          PRODUCER:
          BAD[bar.arrive 1, 64; // HERE]
          FIX[bar.arrive 1, 96;]
          END:
          """, List.of("gives barrier 1 a count of ", "64", "96", ", but others gave ")),
      SeededBug.sm80("a shared array overrun into its neighbour", 1, 64, Finding.Kind.OUT_OF_BOUNDS, """
          .shared .align 4 .b8 first[256];
          .shared .align 4 .b8 second[256];
          mov.u32 %r1, first;
          mov.u32 %r2, second;
          shl.b32 %r3, %t, 2;
          add.u32 %r4, %r1, %r3;
          BAD[st.shared.u32 [%r4+4], %t; // HERE]
          FIX[st.shared.u32 [%r4], %t;]
          add.u32 %r5, %r2, %r3;
          st.shared.u32 [%r5], %t;
          """, List.of("thread (63,0,0) of block (0,0,0) writes 4 bytes out of bounds",
          "shared 'first' + 256, which has 256 bytes")),
      SeededBug.sm80("a misaligned vector load", 1, 8, Finding.Kind.MISALIGNED, """
          add.s64 %l0, %p0, %t8;
          BAD[ld.global.v2.u32 {%r0, %r1}, [%l0+4]; // HERE]
          FIX[ld.global.v2.u32 {%r0, %r1}, [%l0+8];]
          """, List.of("thread (0,0,0) of block (0,0,0) accesses 8 bytes", "no multiple of 8", "offset 4")),
      SeededBug.sm80("a read of shared memory that nobody wrote", 1, 64, Finding.Kind.UNINITIALIZED_READ, TILE + """
          BAD[setp.lt.u32 %q1, %t, 63;]
          FIX[setp.lt.u32 %q1, %t, 64;]
          @%q1 st.shared.u32 [%r11], %t;
          bar.sync 0;
          ld.shared.u32 %r0, [%r13]; // THERE
          add.u32 %r1, %r0, 1;
          st.global.u32 [%l4], %r1; // HERE
          """, List.of("thread (31,0,0) of block (0,0,0) uses what it reads at line", "(ld.shared.u32 %r0, [%r13])",
          "4 bytes at shared 'tile' + 252", "nobody has written")),
      SeededBug.sm80("a shuffle from lanes that do not take part", 1, 32, Finding.Kind.INVALID_SHUFFLE, """
          setp.ge.u32 %q0, %t, 16;
          @%q0 bra END;
          BAD[shfl.sync.bfly.b32 %r0, %t, 16, 31, 0xFFFF; // HERE]
          FIX[shfl.sync.bfly.b32 %r0, %t, 8, 31, 0xFFFF;]
          END:
          """, List.of("lane 0) reads the value of lane 16, which does not take part: lanes 0-15 do")),
      SeededBug.sm80("a lane that its member mask leaves out", 1, 32, Finding.Kind.INVALID_SHUFFLE, """
          BAD[shfl.sync.idx.b32 %r0, %t, 0, 31, 0x7FFFFFFF; // HERE]
          FIX[shfl.sync.idx.b32 %r0, %t, 0, 31, 0xFFFFFFFF;]
          """, List.of("thread (31,0,0) of block (0,0,0)", "member mask 0x7fffffff", "lanes 0-30")),
      SeededBug.sm80("blocks that update one element without atomics", 2, 1, Finding.Kind.RACE, """
          BAD[ld.global.u32 %r0, [%p0]; // HERE]
          BAD[add.u32 %r0, %r0, 1;]
          BAD[st.global.u32 [%p0], %r0; // THERE]
          FIX[red.global.add.u32 [%p0], 1;]
          """, List.of("thread (0,0,0) of block (", "'arg0' + 0", "of scope .gpu")),
      SeededBug.sm80("blocks that write one element", 2, 32, Finding.Kind.RACE, """
          mov.u32 %r1, %ctaid.x;
          BAD[mul.lo.u32 %r2, %r1, 31;]
          FIX[mul.lo.u32 %r2, %r1, 32;]
          add.u32 %r2, %r2, %t;
          mul.wide.u32 %l0, %r2, 4;
          add.s64 %l0, %p0, %l0;
          st.global.u32 [%l0], %r1; // HERE THERE
          """, List.of("'arg0' + 124", "writes at line", "with nothing that orders the two")),
      SeededBug.sm80("a flag that hands over nothing", 1, 64, Finding.Kind.RACE, """
          setp.lt.u32 %q0, %t, 32;
          @%q0 bra PRODUCER;
          SPIN:
          BAD[ld.relaxed.gpu.global.u32 %r0, [%p1];]
          FIX[ld.acquire.gpu.global.u32 %r0, [%p1];]
          setp.eq.u32 %q1, %r0, 0;
          @%q1 bra SPIN;
          ld.global.u32 %r1, [%p0]; // HERE
          bra END;
          PRODUCER: setp.ne.u32 %q2, %t, 0;
          @%q2 bra END;
          mov.u32 %r2, 7;
          st.global.u32 [%p0], %r2; // THERE
          st.release.gpu.global.u32 [%p1], %r2;
          END:
          """, List.of("reads 'arg0' + 0 (now 0x7)", "thread (0,0,0) of the same block (warp 0) writes")),
      SeededBug.sm80("a result that is published without a fence", 2, 1, Finding.Kind.RACE, """
          mov.u32 %r1, %ctaid.x;
          mul.wide.u32 %l0, %r1, 4;
          add.s64 %l1, %p0, %l0;
          st.global.u32 [%l1], %r1; // THERE
          FIX[membar.gl;]
          atom.global.add.u32 %r2, [%p1], 1;
          setp.ne.u32 %q0, %r2, 1;
          @%q0 bra END;
          ld.global.u32 %r3, [%p0]; // HERE
          ld.global.u32 %r4, [%p0+4]; // HERE
          END:
          """, List.of("reads 'arg0' + ", "of block (", "a fence before the store")),
      SeededBug.sm80("named barriers that wait for each other", 1, 64, Finding.Kind.DEADLOCK, """
          setp.lt.u32 %q0, %t, 32;
          @%q0 bra FIRST;
          BAD[bar.sync 2, 64; // THERE]
          bar.sync 1, 64;
          FIX[bar.sync 2, 64;]
          bra END;
          FIRST: bar.sync 1, 64; // HERE
          bar.sync 2, 64;
          END:
          """, List.of("warp 0 waits at line", "warp 1 waits at line", "barrier 1 expects 64, arrived: warps 0",
          "barrier 2 expects 64, arrived: warps 1")),
      SeededBug.sm80("a scope too narrow for two blocks", 2, 1, Finding.Kind.RACE, """
          BAD[red.relaxed.cta.global.add.u32 [%p0], 1; // HERE THERE]
          FIX[red.relaxed.gpu.global.add.u32 [%p0], 1;]
          """, List.of("updates 'arg0' + 0", ".cta reaches only threads of its own block")));

  @Override
  public List<SeededBug> bugs() {
    return BUGS;
  }
}
