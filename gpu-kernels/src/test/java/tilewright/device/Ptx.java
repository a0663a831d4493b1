package tilewright.device;

/** PTX written by hand. */
public final class Ptx {
  /** {@code z[i] = x[i] + y[i]} for {@code i < n}, 32-bit floats. */
  public static final String VECTOR_ADD = """
      .version 8.0
      .target sm_80
      .address_size 64

      .visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z, .param .u32 n)
      {
        .reg .pred %p<2>;
        .reg .b32 %r<6>;
        .reg .f32 %f<4>;
        .reg .b64 %rd<8>;
        ld.param.u32 %r1, [n];
        mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, %ntid.x;
        mov.u32 %r4, %tid.x;
        mad.lo.u32 %r5, %r2, %r3, %r4;
        setp.ge.u32 %p1, %r5, %r1;
        @%p1 bra done;
        ld.param.u64 %rd1, [x];
        ld.param.u64 %rd2, [y];
        ld.param.u64 %rd3, [z];
        mul.wide.u32 %rd4, %r5, 4;
        add.u64 %rd5, %rd1, %rd4;
        add.u64 %rd6, %rd2, %rd4;
        add.u64 %rd7, %rd3, %rd4;
        ld.global.f32 %f1, [%rd5];
        ld.global.f32 %f2, [%rd6];
        add.f32 %f3, %f1, %f2;
        st.global.f32 [%rd7], %f3;
      done:
        ret;
      }
      """;

  /** Each block writes its rank in the cluster to {@code out[%ctaid.x]}. */
  static final String CLUSTER_RANK = """
      .version 8.0
      .target sm_90
      .address_size 64

      .visible .entry rank(.param .u64 out)
      {
        .reg .b32 %r<3>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %ctaid.x;
        mov.u32 %r2, %cluster_ctarank;
        mul.wide.u32 %rd2, %r1, 4;
        add.u64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r2;
        ret;
      }
      """;

  /** Stores 42 at byte {@code last} of the dynamic shared memory and writes what is there to {@code out}. */
  public static final String DYNAMIC_SHARED = """
      .version 8.0
      .target sm_80
      .address_size 64
      .extern .shared .align 16 .b8 pool[];

      .visible .entry last(.param .u64 out, .param .u32 last)
      {
        .reg .b32 %r<5>;
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [out];
        ld.param.u32 %r1, [last];
        mov.u32 %r2, pool;
        add.u32 %r3, %r2, %r1;
        st.shared.u32 [%r3], 42;
        ld.shared.u32 %r4, [%r3];
        st.global.u32 [%rd1], %r4;
        ret;
      }
      """;

  /** Writes the address of dynamic shared memory, which lies behind static, modulo its alignment to {@code out}. */
  public static final String ALIGNED_SHARED = """
      .version 8.0
      .target sm_80
      .address_size 64
      .extern .shared .align 1024 .b8 pool[];

      .visible .entry remainder(.param .u64 out)
      {
        .reg .b32 %r<4>;
        .reg .b64 %rd<2>;
        .shared .align 4 .b8 few[36];
        ld.param.u64 %rd1, [out];
        mov.u32 %r0, few;
        mov.u32 %r1, pool;
        and.b32 %r2, %r1, 1023;
        st.shared.u32 [%r0], %r2;
        ld.shared.u32 %r3, [%r0];
        st.global.u32 [%rd1], %r3;
        ret;
      }
      """;

  private Ptx() {}
}
