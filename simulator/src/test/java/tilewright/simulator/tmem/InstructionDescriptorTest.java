package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tilewright.simulator.tensorcore.MmaType;
import tilewright.simulator.tensorcore.ScaleFormat;

class InstructionDescriptorTest {
  private static final int M128 = 8 << 24;
  private static final int N64 = 8 << 17;
  private static final int SHAPE = M128 | N64;
  private static final int F32 = 1 << 4;

  private static InstructionDescriptor dense(int bits, MmaKind kind) {
    return InstructionDescriptor.of(bits, kind, 1, false, false);
  }

  private static void refused(String part, int bits, MmaKind kind) {
    var error = assertThrows(IllegalArgumentException.class, () -> dense(bits, kind));
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void bf16PairOf256By256() {
    var d = InstructionDescriptor.of(0x10400490, MmaKind.F16, 2, false, false);
    assertEquals(256, d.m());
    assertEquals(256, d.n());
    assertEquals(MmaType.BF16, d.a());
    assertEquals(MmaType.BF16, d.b());
    assertEquals(MmaType.F32, d.d());
    assertFalse(d.transposeA() || d.transposeB() || d.negateA() || d.negateB());
  }

  @Test
  void signsAndMajornessHaveBitsOfTheirOwn() {
    assertTrue(dense(SHAPE | F32 | 1 << 13, MmaKind.F16).negateA());
    assertTrue(dense(SHAPE | F32 | 1 << 14, MmaKind.F16).negateB());
    assertTrue(dense(SHAPE | F32 | 1 << 15, MmaKind.F16).transposeA());
    assertTrue(dense(SHAPE | F32 | 1 << 16, MmaKind.F16).transposeB());
    assertTrue(dense(SHAPE | 2 << 4 | 1 << 3, MmaKind.I8).saturate());
  }

  @Test
  void smallFloatsMix() {
    var d = dense(SHAPE | F32 | 1 << 7 | 5 << 10, MmaKind.F8F6F4);
    assertEquals(MmaType.E5M2, d.a());
    assertEquals(MmaType.E2M1, d.b());
    d = dense(SHAPE | 3 << 7 | 4 << 10, MmaKind.F8F6F4);
    assertEquals(MmaType.E2M3, d.a());
    assertEquals(MmaType.E3M2, d.b());
    assertEquals(MmaType.F16, d.d());
  }

  @Test
  void blockScalesHaveIdsAndAType() {
    var d = dense(SHAPE | 1 << 7 | 1 << 10 | 2 << 4 | 2 << 29 | 1 << 23, MmaKind.MXF4);
    assertEquals(2, d.aScale());
    assertEquals(2, d.bScale());
    assertEquals(ScaleFormat.UE8M0, d.scale());
    assertEquals(MmaType.E2M1, d.a());
    assertEquals(ScaleFormat.UE4M3, dense(SHAPE | 1 << 7 | 1 << 10, MmaKind.MXF4NVF4).scale());
  }

  @Test
  void sparseSelectorsAndShifts() {
    var sparse = InstructionDescriptor.of(SHAPE | F32 | 4 | 1, MmaKind.F16, 1, false, true);
    assertTrue(sparse.sparse());
    assertEquals(1, sparse.selector());
    assertEquals(32, InstructionDescriptor.of(SHAPE | F32 | 3 << 30, MmaKind.F16, 1, true, false).shift());
    assertEquals(8, InstructionDescriptor.of(SHAPE | F32 | 1 << 30, MmaKind.F16, 1, true, false).shift());
    assertEquals(0, InstructionDescriptor.of(SHAPE | F32, MmaKind.F16, 1, true, false).shift());
  }

  @Test
  void wrongFieldsAreNamed() {
    refused("D type is 2", SHAPE | 2 << 4, MmaKind.F16);
    refused("D type is 0", SHAPE | 2 << 7 | 2 << 10, MmaKind.TF32);
    refused("D type is 1", SHAPE | F32, MmaKind.I8);
    refused("A type is 0", SHAPE | F32 | 2 << 10, MmaKind.TF32);
    refused("A type is 2", SHAPE | F32 | 2 << 7, MmaKind.F8F6F4);
    refused("B type is 1", SHAPE | F32 | 1 << 10, MmaKind.F16);
    refused("bf16 factors need f32", SHAPE | 1 << 7 | 1 << 10, MmaKind.F16);
    refused("bit 3", SHAPE | F32 | 8, MmaKind.F16);
    refused("bit 6", SHAPE | F32 | 64, MmaKind.F16);
    refused("bit 13", SHAPE | 2 << 4 | 1 << 13, MmaKind.I8);
    refused("bit 30", SHAPE | F32 | 1 << 30, MmaKind.F16);
    refused("selector", SHAPE | F32 | 1, MmaKind.F16);
    refused("sparsity bit is 1", SHAPE | F32 | 4, MmaKind.F16);
    refused("scale type is 0", SHAPE | 1 << 7 | 1 << 10, MmaKind.MXF4);
    refused("sparse A has 128", SHAPE | 1 << 2 | 1 << 7 | 1 << 10 | 1 << 31, MmaKind.MXF4NVF4);
    refused("bit 15", SHAPE | 1 << 7 | 1 << 10 | 1 << 15 | 1 << 23, MmaKind.MXF4);
  }

  @Test
  void shapesThatDoNotExistAreRefused() {
    refused("M = 256", 16 << 24 | N64 | F32, MmaKind.F16);
    refused("N = 0", M128 | F32, MmaKind.F16);
    refused("N = 264", M128 | 33 << 17 | F32, MmaKind.F16);
    refused("N = 40", M128 | 5 << 17 | 2 << 4, MmaKind.I8);
    refused("bit 24", 4 << 24 | N64 | F32 | 1 << 23, MmaKind.MXF8F6F4);
    refused("transposed B", M128 | 9 << 17 | F32 | 1 << 16, MmaKind.F8F6F4);
    assertThrows(IllegalArgumentException.class,
        () -> InstructionDescriptor.of(M128 | 1 << 17 | F32, MmaKind.F16, 2, false, false));
    assertThrows(IllegalArgumentException.class,
        () -> InstructionDescriptor.of(M128 | 4 << 17 | F32, MmaKind.F16, 1, true, false));
    assertThrows(IllegalArgumentException.class,
        () -> InstructionDescriptor.of(M128 | 32 << 17 | F32 | 4, MmaKind.F16, 1, true, true));
  }

  @Test
  void allShapesOfTheTableExist() {
    for (int n = 8; n <= 256; n += 8) {
      dense(M128 | n / 8 << 17 | F32, MmaKind.F16);
      dense(4 << 24 | n / 8 << 17 | F32 | 2 << 7 | 2 << 10, MmaKind.TF32);
      dense(M128 | n / 8 << 17 | 1 << 23, MmaKind.MXF8F6F4);
    }
    for (int n = 16; n <= 256; n += 16) {
      InstructionDescriptor.of(16 << 24 | n / 8 << 17 | F32, MmaKind.F8F6F4, 2, false, false);
      dense(M128 | n / 8 << 17 | 2 << 4, MmaKind.I8);
    }
    for (int n : new int[] {64, 128, 256}) {
      assertEquals(32, InstructionDescriptor.of(2 << 24 | n / 8 << 17 | F32, MmaKind.F16, 1, true, false).m());
    }
  }
}
