package llama;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.ops.Ops;

class SafetensorsTest {
  @TempDir
  Path folder;

  @Test
  void elementsOfEachTypeAreRead() throws IOException {
    TinyModel.write(folder.resolve("a.safetensors"), """
        {"__metadata__":{"format":"pt"}, "b":{"dtype":"BF16","shape":[1,2],"data_offsets":[6,10]},
         "f":{"dtype":"F32","shape":[],"data_offsets":[0,4]}, "h":{"dtype":"F16","shape":[1],"data_offsets":[4,6]}}
        """, new byte[] {0, 0, (byte) 0xC0, 0x3F, 0, (byte) 0xC5, 0, 0x40, (byte) 0x80, (byte) 0xBF});
    TinyModel.write(folder.resolve("b.safetensors"), """
        {"none":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}}""", new byte[0]);
    try (var arena = Arena.ofConfined(); var ops = Ops.simulator()) {
      var tensors = Safetensors.open(folder, arena);
      assertArrayEquals(new float[] {1.5f}, tensors.load(ops, "f").floats());
      assertArrayEquals(new float[] {-5}, tensors.load(ops, "h", 1).floats());
      assertArrayEquals(new float[] {2, -1}, tensors.load(ops, "b", 1, 2).floats());
      assertArrayEquals(new float[0], tensors.load(ops, "none", 0, 3).floats());
      assertTrue(refusal(() -> tensors.load(ops, "b", 2, 1))
          .contains("has tensor b of shape [1, 2]; config.json says [2, 1]"));
      assertTrue(refusal(() -> tensors.load(ops, "c", 2)).endsWith("has no tensor c"));
    }
  }

  /** Tensors as NAME TYPE SHAPE OFFSETS, or a whole header, in a file of 8 bytes of elements. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
      "[]                                 | has a header that is no JSON object",
      "{\"a\":                            | has a header that is no JSON: ",
      "{\"a\":7}                          | has tensor a of type ",
      "a I64 [1] [0,8]                    | has tensor a of type \"I64\", not F32, F16 or BF16",
      "a F32 [-2] [0,8]                   | has tensor a with shape [-2]",
      "a F32 [1.5] [0,8]                  | has tensor a with shape [1.5]",
      "a F32 2 [0,8]                      | has tensor a with shape 2",
      "a F32 [4294967296,4294967296] [0,0]| has tensor a of shape [4294967296, 4294967296], 7378697629483",
      "a F32 [2] [4,12]                   | has tensor a of shape [2], 8 bytes, at [4, 12] of 8 bytes",
      "a F32 [2] [8,0]                    | has tensor a of shape [2], 8 bytes, at [8, 0] of 8 bytes",
      "a F32 [1] [0]                      | has tensor a of shape [1], 4 bytes, at [0] of 8 bytes",
      "a F32 [1] [0,4]                    | has 8 bytes of elements; tensors take 4",
      "a F32 [1] [4,8]                    | has tensor a at byte 4; the one before it ends at 0",
      "a F32 [2] [0,8] b F32 [1] [4,8]    | has tensor b at byte 4; the one before it ends at 8",
      "a F32 [2] [0,8] a F32 [2] [0,8]    | has a header that is no JSON: Duplicate"})
  void aBadHeaderIsRefusedWithTheReason(String header, String reason) throws IOException {
    TinyModel.write(folder.resolve("a.safetensors"), header.matches("\\w.*") ? "{" + header.replaceAll(
        "(\\S+) (\\S+) (\\S+) (\\S+)", "\"$1\":{\"dtype\":\"$2\",\"shape\":$3,\"data_offsets\":$4}")
        .replace("} ", "},") + "}" : header, new byte[8]);
    var message = refusal(() -> open(folder));
    assertTrue(message.startsWith(folder.resolve("a.safetensors") + " ") && message.contains(reason), message);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 0, 1, 9, 100_000_001, Long.MAX_VALUE})
  void aBadLengthOfTheHeaderIsRefused(long length) throws IOException {
    Files.write(folder.resolve("a.safetensors"), ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(length)
        .put("{}      ".getBytes(StandardCharsets.US_ASCII)).array());
    assertTrue(refusal(() -> open(folder)).endsWith("has 16 bytes, and its header claims " + length));
  }

  @Test
  void filesWithoutTensorsAndTensorsInTwoFilesAreRefused() throws IOException {
    assertTrue(refusal(() -> open(folder)).endsWith("has no tensors in .safetensors files"));
    Files.createFile(folder.resolve("a.safetensors"));
    assertTrue(refusal(() -> open(folder)).endsWith("has 0 bytes, and its header claims -1"));
    for (var name : new String[] {"a", "b"}) {
      TinyModel.write(folder.resolve(name + ".safetensors"),
          "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", new byte[8]);
    }
    assertTrue(refusal(() -> open(folder)).endsWith("has tensor w, which another file has too"));
  }

  private static void open(Path folder) throws IOException {
    try (var arena = Arena.ofConfined()) {
      Safetensors.open(folder, arena);
    }
  }

  private static String refusal(Executable action) {
    return assertThrows(IllegalArgumentException.class, action).getMessage();
  }
}
