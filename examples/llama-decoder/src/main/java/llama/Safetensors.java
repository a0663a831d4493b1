package llama;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import tilewright.numerics.ElementType;
import tilewright.ops.DeviceTensor;
import tilewright.ops.Ops;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tensors of a folder's {@code .safetensors} files, mapped into memory. A file is eight bytes with the length of a
 * header, the header in JSON, then the elements of all tensors without gaps.
 */
record Safetensors(Path folder, Map<String, Entry> entries) {
  private static final int MAX_HEADER_BYTES = 100_000_000;
  private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private static final Map<String, ElementType> TYPES =
      Map.of("F32", ElementType.F32, "F16", ElementType.F16, "BF16", ElementType.BF16);

  /** A tensor; its elements begin at byte {@code begin} of the file's. */
  record Entry(Path file, String name, ElementType type, List<Long> shape, long begin, MemorySegment data) {}

  /** @throws IllegalArgumentException naming the file and what is wrong with it */
  static Safetensors open(Path folder, Arena arena) throws IOException {
    var entries = new TreeMap<String, Entry>();
    try (var files = Files.newDirectoryStream(folder, "*.safetensors")) {
      for (var file : files) {
        for (var entry : entries(file, arena)) {
          var other = entries.putIfAbsent(entry.name, entry);
          require(other == null, file, "has tensor " + entry.name + ", which another file has too");
        }
      }
    }
    require(!entries.isEmpty(), folder, "has no tensors in .safetensors files");
    return new Safetensors(folder, entries);
  }

  private static List<Entry> entries(Path file, Arena arena) throws IOException {
    try (var channel = FileChannel.open(file)) {
      var bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      long length = bytes.byteSize() < Long.BYTES ? -1 : bytes.get(LENGTH, 0);
      require(length >= 2 && length <= Math.min(MAX_HEADER_BYTES, bytes.byteSize() - Long.BYTES), file,
          "has " + bytes.byteSize() + " bytes, and its header claims " + length);
      var header = JSON.readTree(bytes.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE));
      require(header.isObject(), file, "has a header that is no JSON object");
      var data = bytes.asSlice(Long.BYTES + length);
      var entries = new ArrayList<Entry>();
      header.forEachEntry((name, node) -> {
        if (!name.equals("__metadata__")) entries.add(entry(file, name, node, data));
      });
      entries.sort(Comparator.comparingLong(Entry::begin).thenComparing(entry -> entry.data.byteSize()));
      long at = 0;
      for (var entry : entries) {
        require(entry.begin == at, file, "has tensor " + entry.name + " at byte " + entry.begin
            + "; the one before it ends at " + at);
        at += entry.data.byteSize();
      }
      require(at == data.byteSize(), file, "has " + data.byteSize() + " bytes of elements; tensors take " + at);
      return entries;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + " has a header that is no JSON: " + e.getOriginalMessage());
    }
  }

  private static Entry entry(Path file, String name, JsonNode node, MemorySegment data) {
    var type = TYPES.get(node.path("dtype").asString(""));
    require(type != null, file, "has tensor " + name + " of type " + node.path("dtype") + ", not F32, F16 or BF16");
    var shape = numbers(file, name, node, "shape");
    var offsets = numbers(file, name, node, "data_offsets");
    // As floating-point numbers, products of extents that no memory holds are too large and do not wrap.
    double size = shape.stream().mapToDouble(extent -> extent).reduce(type.bytes(), (a, b) -> a * b);
    require(offsets.size() == 2 && offsets.get(1) <= data.byteSize() && offsets.get(1) - offsets.get(0) == size, file,
        "has tensor %s of shape %s, %.0f bytes, at %s of %d bytes".formatted(name, shape, size, offsets,
            data.byteSize()));
    return new Entry(file, name, type, shape, offsets.get(0), data.asSlice(offsets.get(0), (long) size));
  }

  private static List<Long> numbers(Path file, String name, JsonNode node, String key) {
    var numbers = node.path(key);
    boolean whole = numbers.valueStream().allMatch(n -> n.isIntegralNumber() && n.canConvertToLong()
        && n.asLong() >= 0);
    require(numbers.isArray() && whole, file, "has tensor " + name + " with " + key + " " + numbers);
    return numbers.valueStream().map(JsonNode::asLong).toList();
  }

  /** Returns a tensor in bf16. @throws IllegalArgumentException if there is none of that name and shape */
  DeviceTensor load(Ops ops, String name, long... shape) {
    var entry = entries.get(name);
    if (entry == null) throw new IllegalArgumentException(folder + " has no tensor " + name);
    var needed = LongStream.of(shape).boxed().toList();
    require(entry.shape.equals(needed), entry.file, "has tensor " + name + " of shape " + entry.shape
        + "; config.json says " + needed);
    var tensor = ops.tensor(entry.type, entry.data, shape);
    if (entry.type == ElementType.BF16) return tensor;
    try (tensor) {
      return ops.convert(tensor, ElementType.BF16);
    }
  }

  private static void require(boolean holds, Path path, String otherwise) {
    if (!holds) throw new IllegalArgumentException(path + " " + otherwise);
  }
}
