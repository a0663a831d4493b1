package tilewright.verification.witness;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The text of a kernel that moves registers to Tensor Memory and back. */
final class RoundTripText {
  private RoundTripText() {}

  /** Registers %v0 and on, in braces. */
  static String vector(int count) {
    return IntStream.range(0, count).mapToObj(i -> "%v" + i).collect(Collectors.joining(", ", "{", "}"));
  }

  /** An instruction for each register; {} is its number behind a %v and its offset elsewhere. */
  static String move(String instruction, int count) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("  ").append(instruction.replace("%v{}", "%v" + i).replace("{}", "" + 4 * i)).append('\n');
    }
    return text.toString();
  }

  /**
   * Threads have steps of 128 words of data each; all cells are zero first, and are written out at last.
   *
   * @param body by step: %data and %back are the thread's words, %lanes its warp's lanes of Tensor Memory
   */
  static String kernel(int steps, List<String> body) {
    return """
        .version 8.8
        .target sm_100a
        .address_size 64
        .visible .entry k(.param .u64 data, .param .u64 back, .param .u64 cells)
        .maxntid 128, 1, 1
        {
          .reg .b64 %%data, %%back, %%cells, %%l;
          .reg .b32 %%t, %%warp, %%tensor, %%lanes, %%at, %%column, %%v<128>;
          .reg .pred %%others, %%more;
          .shared .align 4 .b32 begin;
          ld.param.u64 %%data, [data];
          ld.param.u64 %%back, [back];
          ld.param.u64 %%cells, [cells];
          mov.u32 %%t, %%tid.x;
          mul.wide.u32 %%l, %%t, %1$d;
          add.u64 %%data, %%data, %%l;
          add.u64 %%back, %%back, %%l;
          mul.wide.u32 %%l, %%t, 2048;
          add.u64 %%cells, %%cells, %%l;
          shr.u32 %%warp, %%t, 5;
          setp.ne.u32 %%others, %%warp, 0;
          @%%others bra ALLOCATED;
          tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [begin], 512;
          tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
        ALLOCATED:
          bar.sync 0;
          ld.shared.b32 %%tensor, [begin];
          shl.b32 %%lanes, %%warp, 21;
          add.u32 %%lanes, %%lanes, %%tensor;
        %2$s
          mov.u32 %%at, %%lanes;
          mov.u32 %%column, 0;
        ZERO:
          tcgen05.st.sync.aligned.32x32b.x32.b32 [%%at], %3$s;
          add.u32 %%at, %%at, 32;
          add.u32 %%column, %%column, 32;
          setp.lt.u32 %%more, %%column, 512;
          @%%more bra ZERO;
          tcgen05.wait::st.sync.aligned;
        %4$s
          mov.u32 %%at, %%lanes;
          mov.u32 %%column, 0;
        WRITE:
          tcgen05.ld.sync.aligned.32x32b.x32.b32 %3$s, [%%at];
          tcgen05.wait::ld.sync.aligned;
        %5$s
          add.u64 %%cells, %%cells, 128;
          add.u32 %%at, %%at, 32;
          add.u32 %%column, %%column, 32;
          setp.lt.u32 %%more, %%column, 512;
          @%%more bra WRITE;
          tcgen05.fence::before_thread_sync;
          bar.sync 0;
          tcgen05.fence::after_thread_sync;
          @%%others bra FREED;
          tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%tensor, 512;
        FREED:
          ret;
        }
        """.formatted(512 * steps, move("mov.b32 %v{}, 0;", 32), vector(32), String.join("", body),
        move("st.global.b32 [%cells+{}], %v{};", 32));
  }
}
