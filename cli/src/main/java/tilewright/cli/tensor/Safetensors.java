package tilewright.cli.tensor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.numerics.ElementType;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tensors in a {@code .safetensors} file: eight bytes with the length of a JSON header, the header, then all elements
 * (<a href="https://github.com/huggingface/safetensors#format">the format</a>).
 */
final class Safetensors {
  private static final long MAX_HEADER_BYTES = 100_000_000;
  private static final int ALIGNMENT = 64;
  /** Every type here that the format has a name for. */
  private static final Map<String, ElementType> TYPES = Map.of("F64", ElementType.F64, "F32", ElementType.F32, "F16",
      ElementType.F16, "BF16", ElementType.BF16, "I8", ElementType.I8, "I32", ElementType.I32, "F8_E4M3",
      ElementType.E4M3, "F8_E5M2", ElementType.E5M2);

  private Safetensors() {}

  /**
   * Reads one tensor.
   *
   * @param arena how long the elements stay readable
   * @throws CommandFailure naming the file, what was found and what is needed
   */
  static TensorFile read(Path file, String name, Arena arena) {
    try (var channel = InputFile.open(file)) {
      long length = headerBytes(channel);
      var text = new byte[(int) length];
      readFully(channel, ByteBuffer.wrap(text), Long.BYTES);
      return tensor(file, channel, JsonMapper.shared().readTree(text), Long.BYTES + length, name, arena);
    } catch (JacksonException e) {
      throw CommandFailure.badFile(file, "its header is no JSON");
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badFile(file, e.getMessage());
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be read: " + InputFile.reason(e));
    }
  }

  private static long headerBytes(FileChannel channel) throws IOException {
    var head = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    readFully(channel, head, 0);
    long length = head.getLong(0);
    if (length < 2 || length > MAX_HEADER_BYTES || Long.BYTES + length > channel.size()) {
      throw new IllegalArgumentException("is no .safetensors file: its header claims " + length + " bytes");
    }
    return length;
  }

  private static TensorFile tensor(Path file, FileChannel channel, JsonNode header, long dataAt, String name,
      Arena arena) throws IOException {
    var entry = header.path(name);
    if (!entry.isObject()) {
      throw new IllegalArgumentException("has no tensor '" + name + "'; it has " + names(header));
    }
    var type = TYPES.get(entry.path("dtype").asString(""));
    if (type == null) throw new IllegalArgumentException("tensor '" + name + "' is of type " + entry.path("dtype")
        + "; needed is " + String.join(", ", TYPES.keySet().stream().sorted().toList()));
    var shape = shape(name, entry.path("shape"));
    long begin = entry.path("data_offsets").path(0).asLong(-1);
    long end = entry.path("data_offsets").path(1).asLong(-1);
    long bytes = bytes(name, type, shape);
    if (begin < 0 || end - begin != bytes || dataAt + end > channel.size()) {
      throw new IllegalArgumentException("tensor '" + name + "' of shape " + shape + " takes " + bytes
          + " bytes; the file has them at " + begin + " to " + end + " of " + (channel.size() - dataAt));
    }
    if (bytes == 0) return new TensorFile(file, type, shape, MemorySegment.NULL);
    // Tensors begin anywhere; kernels need them aligned.
    var mapped = channel.map(MapMode.READ_ONLY, dataAt + begin, bytes, arena);
    var data = mapped.address() % ALIGNMENT == 0 ? mapped : arena.allocate(bytes, ALIGNMENT).copyFrom(mapped);
    return new TensorFile(file, type, shape, data);
  }

  private static List<Long> shape(String name, JsonNode extents) {
    var shape = new ArrayList<Long>();
    for (var extent : extents) {
      if (!extent.isIntegralNumber() || !extent.canConvertToLong() || extent.longValue() < 0) {
        throw new IllegalArgumentException("tensor '" + name + "' has shape " + extents
            + "; needed are integers from 0 on");
      }
      shape.add(extent.longValue());
    }
    return shape;
  }

  private static long bytes(String name, ElementType type, List<Long> shape) {
    try {
      return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    } catch (ArithmeticException _) {
      throw new IllegalArgumentException("tensor '" + name + "' of shape " + shape + " is more than any memory holds");
    }
  }

  private static List<String> names(JsonNode header) {
    return header.propertyNames().stream().filter(name -> !name.equals("__metadata__")).toList();
  }

  private static void readFully(FileChannel channel, ByteBuffer into, long at) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into, at + into.position()) < 0) throw new IllegalArgumentException("is truncated");
    }
  }

  /** Writes one tensor so that the file is there whole or not at all. */
  static void write(Path file, String name, ElementType type, List<Long> shape, MemorySegment data) {
    var dtype = TYPES.entrySet().stream().filter(e -> e.getValue() == type).findFirst().orElseThrow().getKey();
    var entry = new LinkedHashMap<String, Object>();
    entry.put("dtype", dtype);
    entry.put("shape", shape);
    entry.put("data_offsets", List.of(0L, data.byteSize()));
    var text = JsonMapper.shared().writeValueAsString(Map.of(name, entry));
    // Spaces make the data begin at a multiple of eight, as the format's own writer does.
    var header = (text + " ".repeat(-text.length() & 7)).getBytes(StandardCharsets.UTF_8);
    var length = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, header.length);
    AtomicFile.write(file, channel -> {
      for (var part : Stream.of(length, ByteBuffer.wrap(header)).toList()) AtomicFile.writeFully(channel, part);
      for (long at = 0, step = 1 << 30; at < data.byteSize(); at += step) {
        AtomicFile.writeFully(channel, data.asSlice(at, Math.min(step, data.byteSize() - at)).asByteBuffer());
      }
    });
  }
}
