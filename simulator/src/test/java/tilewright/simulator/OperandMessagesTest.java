package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals show an operand as PTX writes it. */
class OperandMessagesTest {
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      ld.global.u32 %r0, {%r1, %r2};                      | operand 2, {%r1, %r2}, is no address in brackets
      st.shared.u32 %r1, 5;                               | operand 1, %r1, is no address in brackets
      add.u32 5, %r0, %r1;                                | operand 1, 5, is no register, but takes the result
      add.u32 %r0, _, %r1;                                | operand _ is not a value
      add.u32 %r0, [%p0+4], %r1;                          | operand 2, [%p0+4], is no operand of type u32
      add.u32 -%r1, %r0, %r1;                             | operand 1, -%r1, is no register, but takes the result
      call f, (%r1);                                      | argument %r1 is no .param variable
      bra %r1;                                            | operand %r1 is not a label
      tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, %r1;   | operand %r1 is not an address in tensor memory
      cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r0], %l0, [%r1]; |\
       operand %l0 is not a tensor map with coordinates
      wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, %q0, %r1, 1, 0, 0; |\
       operand %r1 must be a constant
      """)
  void anOperandIsShownAsPtxWritesIt(String instruction, String reason) {
    var target = instruction.startsWith("tcgen05") ? "sm_100a" : "sm_90a";
    var ptx = Kernels.kernel(target, 0, ".func f(.param .b32 x) { ret; }", instruction);
    var e = assertThrows(UnsupportedPtxException.class, () -> Simulator.load(ptx));
    assertEquals(reason, e.problems().getFirst().reason());
  }
}
