package tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** The normal form shows every difference that has an effect, and no other. */
class PtxNormalFormTest {
  static final List<String> FIXTURES = Fixtures.NAMES;

  private static final String KERNEL = """
      .version 8.0
      .target sm_90a
      .address_size 64
      .file 1 "Kernel.java"
      .extern .shared .align 128 .b8 smem[];
      .global .u32 counter = 5;
      .visible .entry kernel(.param .u64 X, .param .u32 n)
      .maxntid 128, 1, 1
      {
        .reg .b32 %r<4>;
        .reg .b64 %rd<3>;
        .reg .f32 %f<2>;
        .reg .pred %p<2>;
        .reg .b32 %unused;
        .shared .align 16 .b8 tile[256];
        // loads X
        .loc 1 12 3
        ld.param.u64 %rd0, [X];
        ld.param.u32 %r0, [n];
        mov.u32 %r1, %tid.x;
        mov.u32 %r2, tile;
      again:
        setp.lt.s32 %p0, %r1, %r0;
        @%p0 bra inside;
        bra end;
      inside:
        {
          .reg .b32 %r<1>;
          mov.u32 %r0, 7;
          st.shared.b32 [smem+16], %r0;
        }
        mad.wide.s32 %rd1, %r1, 4, %rd0;
        ld.global.f32 %f0, [%rd1+8];
        fma.rn.f32 %f1, %f0, 0f3F800000, %f0;
        st.global.f32 [%rd1], %f1;
        add.s32 %r1, %r1, 128;
        bra again;
      end:
        ret;
      }
      """;

  private static String normal(String text) {
    return PtxNormalForm.of(PtxParser.parse(text));
  }

  @Test
  void namesAndCommentsAreWritten() {
    assertEquals("""
        .version 8.0
        .target sm_90a
        .address_size 64

        .extern .shared .align 128 .b8 global_1[];
        .global .u32 global_2 = 5;

        .visible .entry entry_1(
          .param .u64 parameter_1,
          .param .u32 parameter_2
        )
        .maxntid 128, 1, 1
        {
          .shared .align 16 .b8 variable_1[256];
          ld.param.u64 %b64_1, [parameter_1];
          ld.param.u32 %b32_1, [parameter_2];
          mov.u32 %b32_2, %tid.x;
          mov.u32 %b32_3, variable_1;
        label_1:
          setp.lt.s32 %pred_1, %b32_2, %b32_1;
          @%pred_1 bra label_2;
          bra label_3;
        label_2:
          {
            mov.u32 %b32_4, 7;
            st.shared.b32 [global_1+16], %b32_4;
          }
          mad.wide.s32 %b64_2, %b32_2, 4, %b64_1;
          ld.global.f32 %f32_1, [%b64_2+8];
          fma.rn.f32 %f32_2, %f32_1, 0f3F800000, %f32_1;
          st.global.f32 [%b64_2], %f32_2;
          add.s32 %b32_2, %b32_2, 128;
          bra label_1;
        label_3:
          ret;
        }
        """, normal(KERNEL));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, textBlock = """
      7;|8;
      [%rd1+8]|[%rd1+12]
      [smem+16]|[smem+32]
      0f3F800000|0f3F800001
      setp.lt.s32|setp.lt.u32
      setp.lt|setp.le
      @%p0|@!%p0
      @%p0 bra inside|bra inside
      %f0, 0f3F800000, %f0|%f0, 0f3F800000, %f1
      setp.lt.s32 %p0, %r1, %r0|setp.lt.s32 %p0, %r0, %r1
      bra end|bra again
      %tid.x|%tid.y
      ld.global|ld.global.nc
      st.global.f32 [%rd1], %f1;|
      .maxntid 128|.maxntid 256
      sm_90a|sm_100a
      .version 8.0|.version 8.6
      tile[256]|tile[512]
      .align 16|.align 32
      counter = 5|counter = 6
      .b32 %r<4>|.u32 %r<4>
      .param .u32 n|.param .s32 n
      .param .u64 X, .param .u32 n|.param .u32 n, .param .u64 X
      .visible|
      """)
  void whatHasAnEffectShows(String before, String after) {
    var changed = KERNEL.replace(before, after == null ? "" : after);
    assertNotEquals(KERNEL, changed);
    assertNotEquals(normal(KERNEL), normal(changed));
  }

  @Test
  void orderShows() {
    var one = "mov.u32 %r1, %tid.x;";
    var other = "mov.u32 %r2, tile;";
    assertNotEquals(normal(KERNEL), normal(KERNEL.replace(one, "#").replace(other, one).replace("#", other)));
  }

  /** Renaming one use only is another program. */
  @Test
  void anotherRegisterOfTheSameTypeShows() {
    var changed = KERNEL.replace("add.s32 %r1, %r1", "add.s32 %r3, %r1");
    assertNotEquals(normal(KERNEL), normal(changed));
    assertNotEquals(normal(KERNEL), normal(KERNEL.replace("mov.u32 %r0, 7", "mov.u32 %r3, 7")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      \\bkernel\\b|copy
      \\bX\\b|input
      \\bn\\b|count
      %r1\\b|%r3
      %rd|%address
      %f|%value
      %p0|%p1
      %unused|%spare
      \\bagain\\b|loop
      \\bend\\b|out
      \\btile\\b|buffer
      smem|shared
      counter|tickets
      // loads X|// reads
      // loads X|
      .loc 1 12 3|.loc 1 14 5
      .loc 1 12 3|
      .file 1 .*|.file 1 "Copy.java"
      """)
  void namesAndSourceLinesDoNotShow(String before, String after) {
    var changed = Pattern.compile(before).matcher(KERNEL).replaceAll(after == null ? "" : after);
    assertNotEquals(KERNEL, changed);
    assertEquals(normal(KERNEL), normal(changed));
  }

  @ParameterizedTest
  @FieldSource("FIXTURES")
  void otherCompilersTextIsItsOwnNormalFormAgain(String name) {
    var module = PtxParser.parse(Fixtures.text(name));
    assertEquals(PtxNormalForm.of(module), PtxNormalForm.of(PtxParser.parse(PtxPrinter.print(module))));
  }
}
