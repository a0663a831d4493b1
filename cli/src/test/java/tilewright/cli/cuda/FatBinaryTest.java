package tilewright.cli.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.lz4.Lz4NativeCompressor;
import io.airlift.compress.v3.zstd.ZstdNativeCompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class FatBinaryTest {
  private static final String PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" + "// nothing else\n".repeat(50);

  /** An entry as nvcc 13 lays it out; {@code textBytes} is 0 unless it is compressed. */
  private static byte[] entry(int kind, int architecture, long flags, byte[] payload, int textBytes) {
    int padded = (payload.length + 7) / 8 * 8;
    return little(64 + padded).putShort((short) kind).putShort((short) 0x101).putInt(64).putLong(padded)
        .putInt(payload.length).putInt(0).putInt(0).putInt(architecture).putLong(0).putLong(flags).putLong(0)
        .putLong(textBytes).put(payload).array();
  }

  private static byte[] image(byte[]... entries) {
    int bytes = Arrays.stream(entries).mapToInt(e -> e.length).sum();
    var image = little(16 + bytes).putInt(FatBinary.MAGIC).putShort((short) 1).putShort((short) 16).putLong(bytes);
    for (var e : entries) image.put(e);
    return image.array();
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] compressed(Compressor method, byte[] text) {
    var all = new byte[method.maxCompressedLength(text.length)];
    return Arrays.copyOf(all, method.compress(text, 0, text.length, all, 0, all.length));
  }

  @Test
  void theNewestTextThatTheDeviceRunsIsTaken() {
    var binary = FatBinary.read(image(entry(FatBinary.PTX, 80, 0, bytes("eighty\0"), 0),
        entry(FatBinary.CUBIN, 90, 0, new byte[24], 0), entry(FatBinary.PTX, 90, 0, bytes("ninety\0"), 0),
        entry(FatBinary.PTX, 100, 0, bytes("hundred\0"), 0)));
    assertEquals("ninety", binary.best(90).orElseThrow().text());
    assertEquals("eighty", binary.best(89).orElseThrow().text());
    assertEquals("hundred", binary.best(120).orElseThrow().text());
    assertTrue(binary.best(75).isEmpty());
    assertEquals(List.of(90), binary.cubins());
  }

  @Test
  void compressedTextsAreRead() {
    var text = bytes(PTX + "\0");
    var zstd = entry(FatBinary.PTX, 90, FatBinary.ZSTD, compressed(new ZstdNativeCompressor(), text), text.length);
    var lz4 = entry(FatBinary.PTX, 80, FatBinary.LZ4, compressed(new Lz4NativeCompressor(), text), text.length);
    var binary = FatBinary.read(image(zstd, lz4));
    assertEquals(PTX, binary.best(90).orElseThrow().text());
    assertEquals(PTX, binary.best(80).orElseThrow().text());
  }

  @Test
  void damagedImagesAreRefused() {
    var image = image(entry(FatBinary.PTX, 90, 0, bytes(PTX), 0));
    assertTrue(FatBinary.isOne(image));
    assertFalse(FatBinary.isOne(bytes(PTX)));
    assertThrows(IllegalArgumentException.class, () -> FatBinary.read(Arrays.copyOf(image, image.length - 8)));
    var entryTooLong = image.clone();
    entryTooLong[24] += 8;
    assertThrows(IllegalArgumentException.class, () -> FatBinary.read(entryTooLong));
  }
}
