package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** What is wrong with a tensor copy is said with the value and the fix. */
class TensorCopyErrorsTest {
  private static final TensorView MATRIX = TensorView.of(TensorElement.U16, List.of(64L, 40L), List.of(128L));
  private static final TensorView IMAGES =
      TensorView.of(TensorElement.U16, List.of(64L, 4L, 8L), List.of(128L, 512L));

  private static final TensorView SLICES = IMAGES.withInterleave(Interleave.B16);

  /**
   * One thread; %m is the matrix's map, %i that of images, %n the same with an interleave, %b the mbarrier's address,
   * %s that of 8192 shared bytes.
   */
  private static SimulationResult run(String body, Dim3 cluster) {
    var ptx = """
        .version 8.8
        .target sm_100a
        .address_size 64
        .visible .entry k(.param .align 64 .b8 matrix[128], .param .align 64 .b8 images[128],
          .param .align 64 .b8 slices[128], .param .u64 data)
        {
          .reg .b64 %%m, %%i, %%n, %%g, %%l<4>;
          .reg .b32 %%b, %%s, %%r<8>;
          .reg .b16 %%h<4>;
          .reg .pred %%p;
          .shared .align 1024 .b8 smem[8192];
          .shared .align 8 .b64 barrier;
          mov.b64 %%m, matrix;
          cvta.param.u64 %%m, %%m;
          mov.b64 %%i, images;
          cvta.param.u64 %%i, %%i;
          mov.b64 %%n, slices;
          cvta.param.u64 %%n, %%n;
          ld.param.u64 %%g, [data];
          mov.u32 %%s, smem;
          mov.u32 %%b, barrier;
          mbarrier.init.shared.b64 [%%b], 1;
          fence.proxy.async;
          mbarrier.arrive.expect_tx.shared.b64 _, [%%b], 1024;
          barrier.cluster.arrive;
          barrier.cluster.wait;
          %s
          barrier.cluster.arrive;
          barrier.cluster.wait;
          ret;
        }
        """.formatted(body);
    var launch = new Launch(ptx, "k", cluster, Dim3.ONE, cluster, 0,
        Map.of("data", MemorySegment.ofArray(new byte[4096])),
        List.of(new Argument.TensorMapOf(new Argument.Buffer("data"), new TensorMap.Tiled(MATRIX, List.of(64, 8))),
            new Argument.TensorMapOf(new Argument.Buffer("data"),
                new TensorMap.Im2col(IMAGES, List.of(0), List.of(0), 64, 8)),
            new Argument.TensorMapOf(new Argument.Buffer("data"),
                new TensorMap.Im2col(SLICES, List.of(0), List.of(0), 8, 8)), new Argument.Buffer("data")));
    return Simulator.load(ptx).run(launch, SimulatorOptions.defaults());
  }

  private static final String LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes ";
  private static final String STORE = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group ";

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      LOAD [%s+64], [%m, {0, 0}], [%b]; | MISALIGNED | copies a box at an address that is no multiple of 128
      LOAD [%s+16], [%m, {0, 0}], [%b]; | MISALIGNED | copies a box at an address that is no multiple of 128
      LOAD [%s], [%m, {4, 0}], [%b]; | INVALID_OPERATION | coordinate 4 of elements u16; it must be a multiple of 8
      LOAD [%s+7296], [%m, {0, 0}], [%b]; | OUT_OF_BOUNDS | writes 1024 bytes out of bounds: shared memory + 7296
      LOAD [%s], [%m+8, {0, 0}], [%b]; | MISALIGNED | names a tensor map at an address that is no multiple of 64
      LOAD [%s], [%g, {0, 0}], [%b]; | INVALID_OPERATION | finds no tensor map at buffer 'data'
      LOAD [%s], [%i, {0, 0}], [%b]; | INVALID_OPERATION | accesses 2 dimensions by a tensor map of 3
      LOAD [%s], [%m, {0, 0}], [%s+2048]; | INVALID_OPERATION | names an mbarrier that was not initialised
      LOAD [%s], [%m, {0, 30}], [%b]; | OUT_OF_BOUNDS | out of bounds: buffer 'data' of 4096 bytes
      STORE [%m, {0, -1}], [%s]; | INVALID_OPERATION | at coordinate -1 of dimension 1; only loads may
      STORE [%m, {-8, 0}], [%s]; | INVALID_OPERATION | at coordinate -8 of dimension 0; only loads may
      STORE [%m, {0, 0}], [%s+64]; | MISALIGNED | copies a box at an address that is no multiple of 128
      STORE [%m, {0, 30}], [%s]; | OUT_OF_BOUNDS | out of bounds: buffer 'data' of 4096 bytes
      """)
  void copies(String instruction, Finding.Kind kind, String complaint) {
    expect(instruction.replace("LOAD ", LOAD).replace("STORE ", STORE), Dim3.ONE, kind, complaint);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%i, {0, 0, 0}], [%b];\
       | accesses a tensor map of mode im2col by .tile, which needs one of mode tiled
      mov.u16 %h0, 256; cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes\
       [%s], [%i, {0, 0, 0}], [%b], {%h0, %h0}; | needs one of mode im2col_w
      mov.u16 %h0, 0; cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes\
       [%s], [%n, {0, 0, 0}], [%b], {%h0}; | mode im2col with interleave 16B, which is not simulated
      cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes\
       [%s], [%m, {0, 0, 1, 2, 3}], [%b]; | accesses four rows by a tensor map whose box has 8 rows
      cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%m, {0, 0}], [%s];\
       | reduces by .add, which does not exist for elements u16
      tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%s], 0, 4; | replaces a field where neither a tensor map
      cp.async.bulk.global.shared::cta.bulk_group [%g], [%s], 24; | bulk-copies 24 bytes, which is no multiple of 16
      mov.u16 %h0, 5; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster\
       [%s], [%g], 16, [%b], %h0; | multicasts to rank 2, but its cluster has 2 blocks; clear that bit of the mask 0x5
      mapa.shared::cluster.u32 %r0, %b, 1; mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p, %r2, 0;\
       @%p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%g], 16, [%r0];\
       | copies to rank 0 but names an mbarrier of rank 1; it must be of the same block
      """)
  void otherMisuse(String instructions, String complaint) {
    expect(instructions, Dim3.of(2), Finding.Kind.INVALID_OPERATION, complaint);
  }

  private static void expect(String instructions, Dim3 cluster, Finding.Kind kind, String complaint) {
    var findings = run(instructions, cluster).findings();
    assertEquals(List.of(kind), findings.stream().map(Finding::kind).toList(), findings.toString());
    assertTrue(findings.toString().contains(complaint), findings.toString());
  }

  @Test
  void whatIsRightHasNoFindings() {
    assertEquals(List.of(), run(LOAD + "[%s], [%m, {-64, -8}], [%b];", Dim3.ONE).findings());
    assertEquals(List.of(), run(STORE + "[%m, {64, 40}], [%s];", Dim3.ONE).findings());
  }

  @Test
  void newValuesOfFieldsAreChecked() {
    var copyTheMap = """
        mov.u32 %r0, 0;
        COPY:
        cvt.u64.u32 %l0, %r0;
        add.u64 %l0, %m, %l0;
        ld.u32 %r1, [%l0];
        add.u32 %r2, %s, %r0;
        st.shared.u32 [%r2], %r1;
        add.u32 %r0, %r0, 4;
        setp.lt.u32 %p, %r0, 128;
        @%p bra COPY;
        """;
    expect(copyTheMap + "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%s], 1, 257;", Dim3.ONE,
        Finding.Kind.INVALID_OPERATION, "new value 257 of .box_dim; possible is 1 to 256");
    expect(copyTheMap + "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%s], 4, 16;", Dim3.ONE,
        Finding.Kind.INVALID_OPERATION, "ordinal 4 of .global_stride; possible is 0 to 3");
    expect(copyTheMap + "tensormap.replace.tile.swizzle_atomicity.shared::cta.b1024.b32 [%s], 1;", Dim3.ONE,
        Finding.Kind.INVALID_OPERATION, "new value 1 of .swizzle_atomicity; possible is 0, because");
    assertEquals(List.of(), run(copyTheMap + "tensormap.replace.tile.rank.shared::cta.b1024.b32 [%s], 4;",
        Dim3.ONE).findings());
  }
}
