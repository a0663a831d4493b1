package tilewright.cli;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxType;
import tilewright.simulator.Coordinates;
import tilewright.verification.TensorCoordinates;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads one {@code launch.json}; every complaint names the file and the field. */
final class LaunchFileReader {
  /** What a buffer holds that nobody has filled: the same every time, and conspicuous. */
  private static final int UNKNOWN = 0xCD;

  private final Path path;

  LaunchFileReader(Path path) {
    this.path = path;
  }

  LaunchFile read() {
    var root = tree();
    var buffers = new LinkedHashMap<String, MemorySegment>();
    object(root, "buffers").properties()
        .forEach(e -> buffers.put(e.getKey(), buffer("buffers." + e.getKey(), e.getValue())));
    var arguments = new ArrayList<Argument>();
    for (var node : required(root, "args")) arguments.add(argument("args[" + arguments.size() + "]", node, buffers));
    var launch = new Launch(ptx(root), text("entry", required(root, "entry")),
        dim3(root, "grid"), dim3(root, "block"), dim3(root, "cluster"),
        (int) integer("dynamicSharedBytes", root.path("dynamicSharedBytes"), 0, 1 << 30), features(root), ahead(root),
        buffers, arguments);
    return new LaunchFile(path, launch, expected(root, buffers), uninitialised(root), elements(root),
        architecture(root));
  }

  private OptionalInt architecture(JsonNode root) {
    return root.has("architecture") ? OptionalInt.of((int) integer("architecture", root.get("architecture"), 80, 999))
        : OptionalInt.empty();
  }

  private JsonNode tree() {
    try {
      var root = JsonMapper.shared().readTree(readBytes(path));
      if (!root.isObject()) throw bad("is not a JSON object");
      return root;
    } catch (JacksonException e) {
      var at = e.getLocation();
      throw bad("is not JSON" + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr())
          + ": " + e.getOriginalMessage());
    }
  }

  private String ptx(JsonNode root) {
    return new String(readBytes(beside(text("ptx", required(root, "ptx")))), java.nio.charset.StandardCharsets.UTF_8);
  }

  private MemorySegment buffer(String where, JsonNode node) {
    var hasFile = node.has("file");
    if (hasFile && node.has("fill")) throw bad(where + " has both \"file\" and \"fill\"; needed is one at most");
    if (!hasFile && !node.has("bytes")) throw bad(where + " has neither \"file\" nor \"bytes\"");
    var bytes = hasFile ? readBytes(beside(text(where + ".file", node.get("file")))) : new byte[0];
    var size = hasFile && !node.has("bytes") ? bytes.length
        : integer(where + ".bytes", node.path("bytes"), 0, Integer.MAX_VALUE - 8);
    if (hasFile && bytes.length != size) {
      var file = node.get("file").asString();
      throw bad(where + " has " + size + " bytes, but its file " + file + " has " + bytes.length);
    }
    // Off the heap, so that a GPU can copy from it and vector accesses find it aligned.
    var segment = java.lang.foreign.Arena.ofAuto().allocate(Math.max(1, size), 256).asSlice(0, size);
    return hasFile ? segment.copyFrom(MemorySegment.ofArray(bytes))
        : segment.fill((byte) (node.has("fill") ? integer(where + ".fill", node.get("fill"), 0, 255) : UNKNOWN));
  }

  private Set<String> ahead(JsonNode root) {
    var ahead = new HashSet<String>();
    for (var e : root.path("buffers").properties()) {
      var node = e.getValue().path("ahead");
      if (!node.isMissingNode() && !node.isBoolean()) {
        throw bad("buffers." + e.getKey() + ".ahead is " + node + "; needed is true or false");
      }
      if (node.asBoolean(false)) ahead.add(e.getKey());
    }
    return ahead;
  }

  private static Set<String> uninitialised(JsonNode root) {
    return root.path("buffers").properties().stream()
        .filter(e -> !e.getValue().has("file") && !e.getValue().has("fill")).map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private Map<String, Coordinates> elements(JsonNode root) {
    var elements = new LinkedHashMap<String, Coordinates>();
    for (var e : root.path("buffers").properties()) {
      if (!e.getValue().has("dtype")) continue;
      var where = "buffers." + e.getKey();
      var name = text(where + ".dtype", e.getValue().get("dtype"));
      int bits = ElementType.parse(name).map(ElementType::bits).or(() -> PtxType.parse(name).map(PtxType::bits))
          .orElseThrow(() -> bad(where + ".dtype is " + name + "; needed is a type such as f32 or u32"));
      var layout = e.getValue().has("layout") ? layout(where, text(where + ".layout", e.getValue().get("layout")))
          : Layout.of(Integer.MAX_VALUE, 1);
      elements.put(e.getKey(), new TensorCoordinates(bits, layout, 0));
    }
    return elements;
  }

  private OffsetMap layout(String where, String notation) {
    try {
      return OffsetMap.parse(notation);
    } catch (IllegalArgumentException e) {
      throw bad(where + ".layout is no layout: " + e.getMessage());
    }
  }

  private Argument argument(String where, JsonNode node, Map<String, MemorySegment> buffers) {
    if (node.has("buffer")) return place(where, node, buffers);
    if (node.has("struct")) return struct(where + ".struct", node.get("struct"), buffers);
    if (node.has("tensorMap")) {
      var map = node.get("tensorMap");
      return new Argument.TensorMapOf(place(where + ".tensorMap", map, buffers),
          LaunchTensorMap.read(this, where + ".tensorMap", map));
    }
    return LaunchScalar.read(node).orElseThrow(() -> bad(where + " is " + node
        + "; needed is {\"buffer\": NAME}, {\"struct\": …}, {\"tensorMap\": …} or a number by PTX type, "
        + "such as {\"u32\": 5}"));
  }

  private Argument.Buffer place(String where, JsonNode node, Map<String, MemorySegment> buffers) {
    var name = text(where + ".buffer", required(node, "buffer"));
    requireBuffer(where, name, buffers);
    return new Argument.Buffer(name, integer(where + ".bufferOffset", node.path("bufferOffset"), 0, Long.MAX_VALUE));
  }

  private Argument struct(String where, JsonNode node, Map<String, MemorySegment> buffers) {
    var bytes = (int) integer(where + ".bytes", required(node, "bytes"), 1, 1 << 16);
    var fields = new ArrayList<Argument.Field>();
    for (var field : required(node, "fields")) {
      var at = where + ".fields[" + fields.size() + "]";
      fields.add(new Argument.Field((int) integer(at + ".offset", required(field, "offset"), 0, bytes - 1),
          argument(at, field, buffers)));
    }
    return new Argument.Struct(bytes, fields);
  }

  private Map<String, byte[]> expected(JsonNode root, Map<String, MemorySegment> buffers) {
    var expected = new LinkedHashMap<String, byte[]>();
    object(root, "expect").properties().forEach(e -> {
      requireBuffer("expect", e.getKey(), buffers);
      expected.put(e.getKey(), readBytes(beside(text("expect." + e.getKey(), e.getValue()))));
    });
    return expected;
  }

  private void requireBuffer(String where, String name, Map<String, MemorySegment> buffers) {
    if (buffers.containsKey(name)) return;
    throw bad(where + " names buffer \"" + name + "\"; \"buffers\" has " + buffers.keySet());
  }

  private Dim3 dim3(JsonNode root, String key) {
    var extents = new ArrayList<>(List.of(1, 1, 1));
    var node = root.path(key);
    if (node.isMissingNode()) return Dim3.ONE;
    if (!node.isArray() || node.size() > 3) throw bad(key + " is " + node + "; needed is up to three integers");
    for (var i = 0; i < node.size(); i++) {
      extents.set(i, (int) integer(key + "[" + i + "]", node.get(i), 1, Integer.MAX_VALUE));
    }
    return new Dim3(extents.get(0), extents.get(1), extents.get(2));
  }

  private Set<LaunchFeature> features(JsonNode root) {
    var features = new HashSet<LaunchFeature>();
    for (var node : root.path("features")) {
      var name = text("features[" + features.size() + "]", node);
      features.add(LaunchFeature.parse(name).orElseThrow(() -> bad("features names " + name + "; needed are of "
          + Arrays.stream(LaunchFeature.values()).map(LaunchFeature::text).toList())));
    }
    return features;
  }

  JsonNode required(JsonNode node, String key) {
    if (!node.has(key)) throw bad("lacks \"" + key + "\"");
    return node.get(key);
  }

  private JsonNode object(JsonNode root, String key) {
    var node = root.path(key);
    if (!node.isMissingNode() && !node.isObject()) throw bad(key + " is " + node + "; needed is an object");
    return node;
  }

  String text(String where, JsonNode node) {
    if (!node.isString()) throw bad(where + " is " + node + "; needed is a string");
    return node.stringValue();
  }

  /** A number, or a string such as {@code "0xCD"}; what is missing counts as the least allowed. */
  long integer(String where, JsonNode node, long least, long most) {
    if (node.isMissingNode()) return least;
    try {
      var value = node.isString() ? Long.decode(node.stringValue()) : node.isIntegralNumber() ? node.longValue() : null;
      if (value != null && value >= least && value <= most) return value;
    } catch (NumberFormatException | JacksonException _) {
      // Reported below with the range.
    }
    throw bad(where + " is " + node + "; needed is an integer from " + least + " to " + most);
  }

  private Path beside(String name) {
    try {
      return path.resolveSibling(name);
    } catch (java.nio.file.InvalidPathException _) {
      throw bad("names a file that cannot exist: " + name);
    }
  }

  private byte[] readBytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException _) {
      throw CommandFailure.badFile(file, "no such file" + (file.equals(path) ? "" : " (named by " + path + ")"));
    } catch (IOException | OutOfMemoryError e) {
      throw CommandFailure.badFile(file, "cannot be read: " + e.getMessage());
    }
  }

  CommandFailure bad(String message) {
    return CommandFailure.badFile(path, message);
  }
}
