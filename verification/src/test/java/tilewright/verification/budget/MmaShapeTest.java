package tilewright.verification.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxParser;

/** Shapes that the PTX ISA gives instructions, and operations and bytes by hand. */
class MmaShapeTest {
  private static MmaShape shape(String text) {
    var module = PtxParser.parse("""
        .version 8.7
        .target sm_100a
        .address_size 64
        .visible .entry k() {
          %s
        }
        """.formatted(text));
    return MmaShape.of((Instruction) module.functions().getFirst().body().orElseThrow().getFirst());
  }

  /** 0x8a10010 is the descriptor of mxf8 products, 128x128, whose scales of B begin at byte 1 or 3. */
  @Test
  void aDescriptorInARegisterIsTheConstantThatWasAddedToIt() {
    var mma = Instruction.of("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale", address("%r1"), address("%r2"),
        new Operand.Register("%rd1"), new Operand.Register("%r3"), address("%r4"), address("%r5"),
        new Operand.Register("%p1"));
    var known = MmaShape.withKnownDescriptor(mma, Map.of(new Operand.Register("%r3"), new Operand.Integer(0x8a10010)));
    var shape = MmaShape.of(known);
    assertEquals(2 * 128 * 128 * 32 / 2.0, shape.operations());
    assertEquals(128 * 32, shape.sharedBytes());
    assertEquals(128 * 32, shape.tensorMemoryBytes());
    assertThrows(IllegalArgumentException.class, () -> MmaShape.of(MmaShape.withKnownDescriptor(mma, Map.of())));
  }

  private static Operand address(String register) {
    return new Operand.Address(new Operand.Register(register), 0);
  }

  /** 0x10400490 is CUTLASS's descriptor of bf16 products of a pair of CTAs, 256x256. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd1, %rd2, 272630928, %p1; | 2097152 | 16384 | 0",
      "tcgen05.mma.cta_group::2.kind::f16 [%r1], [%r2], %rd2, 272630928, %p1; | 2097152 | 8192 | 8192",
      "tcgen05.mma.cta_group::2.kind::f8f6f4 [%r1], %rd1, %rd2, 272630928, %p1; | 2097152 | 16384 | 0",
      "tcgen05.mma.cta_group::2.kind::tf32 [%r1], %rd1, %rd2, 272630928, %p1; | 2097152 | 16384 | 0",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0; "
          + "| 16384 | 2304 | 0",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %rd2, %p1, "
          + "1, 1, 0; | 16384 | 256 | 0",
      "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1; "
          + "| 16384 | 2304 | 0"})
  void operationsAndBytesAreThoseOfTheShape(String text, double operations, double shared, double tensorMemory) {
    var shape = shape(text);
    assertEquals(operations, shape.operations());
    assertEquals(shared, shape.sharedBytes());
    assertEquals(tensorMemory, shape.tensorMemoryBytes());
  }
}
