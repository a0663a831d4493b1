package tilewright.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import tilewright.ptx.PtxType;

class KernelArgumentTest {
  @Test
  void packsNumbersLittleEndianInTheirWidth() {
    assertArrayEquals(new byte[] {4, 3, 2, 1}, KernelArgument.u32(0x01020304).bytes());
    assertArrayEquals(new byte[] {8, 7, 6, 5, 4, 3, 2, 1}, KernelArgument.u64(0x0102030405060708L).bytes());
    assertArrayEquals(new byte[] {0, 0, (byte) 0xC0, 0x3F}, KernelArgument.f32(1.5f).bytes());
    assertArrayEquals(new byte[] {0x34, 0x12}, new KernelArgument.Value(PtxType.U16, 0x1234).bytes());
  }

  @Test
  void passesRawBytesAsTheyAre() {
    var content = MemorySegment.ofArray(new byte[] {7, 8, 9});
    assertArrayEquals(new byte[] {7, 8, 9}, new KernelArgument.Raw(content, List.of()).bytes());
  }

  @Test
  void readsAsItsValueInErrors() {
    assertEquals("u32 4294967295", KernelArgument.u32(-1).toString());
    assertEquals("f32 1.5", KernelArgument.f32(1.5f).toString());
    assertEquals("s32 -2", new KernelArgument.Value(PtxType.S32, -2).toString());
  }
}
