package tilewright.cli.launch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Excerpt;
import tilewright.cli.io.NearestName;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.ops.TensorCoordinates;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxType;
import tilewright.simulator.Coordinates;
import tools.jackson.databind.JsonNode;

/** Reads one {@code launch.json}; every complaint names the file and the field. */
final class LaunchFileReader {
  /** The byte in a buffer without content: always the same, and conspicuous. */
  private static final int UNKNOWN = 0xCD;
  private static final int ALIGNMENT = 256;
  /** The bytes of the longest array in Java: results are compared as arrays. */
  private static final int MOST_BYTES = Integer.MAX_VALUE - 8;
  private static final List<String> KEYS = List.of("ptx", "entry", "grid", "block", "cluster", "dynamicSharedBytes",
      "features", "buffers", "args", LaunchGroupReader.KEY, "expect", "architecture", "version");
  private static final List<String> BUFFER_KEYS = List.of("bytes", "file", "fill", "dtype", "layout", "ahead",
      "device");

  private final Path path;
  private final LaunchJson json;
  private final LaunchInputs inputs;
  private final MemoryLimit limit;

  LaunchFileReader(Path path, LaunchInputs inputs, MemoryLimit limit) {
    this.path = path;
    this.inputs = inputs;
    this.limit = limit;
    json = new LaunchJson(path);
  }

  LaunchFile read() {
    var root = json.tree();
    json.requireVersion(root, LaunchFile.VERSION);
    json.requireKeys("", root, KEYS);
    requireMemory(root);
    var buffers = buffers(root);
    try {
      var name = json.text("ptx", json.required(root, "ptx"));
      var ptx = inputs.text("ptx", name);
      var work = root.has(LaunchGroupReader.KEY)
          ? new LaunchFile.Work.Several(new LaunchGroupReader(json, root).read(ptx, buffers))
          : new LaunchFile.Work.One(launch(root, ptx, buffers));
      return new LaunchFile(path, path.resolveSibling(name), work, expected(root, buffers), uninitialised(root),
          elements(root), architecture(root));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw json.bad(e.getMessage());
    }
  }

  private Launch launch(JsonNode root, String ptx, Map<String, MemorySegment> buffers) {
    LaunchGroupReader.requireNone(json, root);
    var arguments = new LaunchArgumentReader(json, buffers.keySet()).read("args", json.required(root, "args"));
    return new Launch(ptx, json.text("entry", json.required(root, "entry")), json.extents("", root, "grid"),
        json.extents("", root, "block"), json.extents("", root, "cluster"),
        (int) json.integer("dynamicSharedBytes", root.path("dynamicSharedBytes"), 0, 1 << 30), features(root),
        ahead(root), buffers, arguments);
  }

  private OptionalInt architecture(JsonNode root) {
    return root.has("architecture")
        ? OptionalInt.of((int) json.integer("architecture", root.get("architecture"), 80, 999)) : OptionalInt.empty();
  }

  /** Adds up what is named before any of it is read or allocated; a value of another type is reported later. */
  private void requireMemory(JsonNode root) {
    long need = root.path("ptx").isString() ? inputs.size("ptx", root.get("ptx").stringValue()) : 0;
    for (var e : object(root, "buffers")) {
      var where = "buffers." + e.getKey();
      var file = e.getValue().path("file");
      need += file.isString() ? inputs.size(where + ".file", file.stringValue())
          : json.integer(where + ".bytes", e.getValue().path("bytes"), 0, MOST_BYTES);
    }
    for (var e : object(root, "expect")) {
      if (e.getValue().isString()) need += inputs.size("expect." + e.getKey(), e.getValue().stringValue());
    }
    if (need > limit.bytes()) {
      throw CommandFailure.environmentLacks(path + ": needs " + need + " bytes for its buffers and files; the limit is "
          + limit.bytes() + " (" + limit.name() + ")");
    }
  }

  private Map<String, MemorySegment> buffers(JsonNode root) {
    var buffers = new LinkedHashMap<String, MemorySegment>();
    for (var e : object(root, "buffers")) {
      requireFileName(e.getKey());
      buffers.put(e.getKey(), buffer("buffers." + e.getKey(), e.getValue()));
    }
    return buffers;
  }

  /** Buffers are written as files called after them, which shall lie nowhere but in the folder that the user named. */
  private void requireFileName(String name) {
    boolean sound = !name.isEmpty() && name.length() <= LaunchFile.LONGEST_NAME && !name.equals(".")
        && !name.equals("..") && name.codePoints().noneMatch(c -> c == '/' || c == '\\' || Character.isISOControl(c));
    if (!sound) {
      throw json.bad("buffers has \"" + Excerpt.of(name, LaunchFile.LONGEST_NAME) + "\"; needed is a name of 1 "
          + "to " + LaunchFile.LONGEST_NAME + " characters without / and \\, as its file has");
    }
  }

  private MemorySegment buffer(String where, JsonNode node) {
    json.requireKeys(where, node, BUFFER_KEYS);
    var hasFile = node.has("file");
    if (hasFile && node.has("fill")) throw json.bad(where + " has both \"file\" and \"fill\"; needed is one at most");
    if (!hasFile && !node.has("bytes")) throw json.bad(where + " has neither \"file\" nor \"bytes\"");
    var file = hasFile ? json.text(where + ".file", node.get("file")) : "";
    var bytes = hasFile ? inputs.bytes(where + ".file", file) : new byte[0];
    var size = hasFile && !node.has("bytes") ? bytes.length
        : json.integer(where + ".bytes", node.path("bytes"), 0, MOST_BYTES);
    if (hasFile && bytes.length != size) {
      throw json.bad(where + " has " + size + " bytes, but its file " + file + " has " + bytes.length);
    }
    var fill = node.has("fill") ? json.integer(where + ".fill", node.get("fill"), 0, 255) : UNKNOWN;
    var segment = allocate(where, size);
    return hasFile ? segment.copyFrom(MemorySegment.ofArray(bytes)) : segment.fill((byte) fill);
  }

  /** Off the heap, so that a GPU can copy from it and vector accesses find it aligned. */
  private static MemorySegment allocate(String where, long size) {
    try {
      return Arena.ofAuto().allocate(Math.max(1, size), ALIGNMENT).asSlice(0, size);
    } catch (OutOfMemoryError _) {
      throw CommandFailure.environmentLacks(where + " has " + size + " bytes, more than is left of the memory that "
          + "Java may take (" + (Runtime.getRuntime().maxMemory() >> 20) + " MiB)");
    }
  }

  private Set<String> ahead(JsonNode root) {
    var ahead = new HashSet<String>();
    for (var e : object(root, "buffers")) {
      if (json.truth("buffers." + e.getKey() + ".ahead", e.getValue().path("ahead"))) ahead.add(e.getKey());
    }
    return ahead;
  }

  private Set<String> uninitialised(JsonNode root) {
    return object(root, "buffers").stream()
        .filter(e -> !e.getValue().has("file") && !e.getValue().has("fill")).map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private Map<String, Coordinates> elements(JsonNode root) {
    var elements = new LinkedHashMap<String, Coordinates>();
    for (var e : object(root, "buffers")) {
      var where = "buffers." + e.getKey();
      if (!e.getValue().has("dtype")) {
        if (e.getValue().has("layout")) throw json.bad(where + " has a \"layout\" without a \"dtype\"");
        continue;
      }
      var name = json.text(where + ".dtype", e.getValue().get("dtype"));
      int bits = ElementType.parse(name).map(ElementType::bits).or(() -> PtxType.parse(name).map(PtxType::bits))
          .orElseThrow(() -> json.bad(where + ".dtype is " + name + "; needed is a type such as f32 or u32"));
      var layout = e.getValue().has("layout") ? layout(where, json.text(where + ".layout", e.getValue().get("layout")))
          : Layout.of(Integer.MAX_VALUE, 1);
      elements.put(e.getKey(), new TensorCoordinates(bits, layout, 0));
    }
    return elements;
  }

  private OffsetMap layout(String where, String notation) {
    try {
      return OffsetMap.parse(notation);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw json.bad(where + ".layout is no layout: " + e.getMessage());
    }
  }

  private Map<String, byte[]> expected(JsonNode root, Map<String, MemorySegment> buffers) {
    var expected = new LinkedHashMap<String, byte[]>();
    for (var e : object(root, "expect")) {
      LaunchArgumentReader.requireBuffer(json, "expect", e.getKey(), buffers.keySet());
      var where = "expect." + e.getKey();
      expected.put(e.getKey(), inputs.bytes(where, json.text(where, e.getValue())));
    }
    return expected;
  }

  private Set<LaunchFeature> features(JsonNode root) {
    var features = new HashSet<LaunchFeature>();
    if (!root.has("features")) return features;
    for (var node : json.array("features", root.get("features"))) {
      var name = json.text("features[" + features.size() + "]", node);
      var known = Arrays.stream(LaunchFeature.values()).map(LaunchFeature::text).toList();
      features.add(LaunchFeature.parse(name).orElseThrow(() -> json.bad("features names " + name
          + NearestName.hint(name, known, "; known are " + String.join(", ", known)))));
    }
    return features;
  }

  /** Returns an empty object for a missing node. */
  private Set<Map.Entry<String, JsonNode>> object(JsonNode root, String key) {
    if (!root.has(key)) return Set.of();
    json.requireObject(key, root.get(key));
    return root.get(key).properties();
  }
}
