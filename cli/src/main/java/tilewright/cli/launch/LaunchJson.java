package tilewright.cli.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Excerpt;
import tilewright.cli.io.InputFile;
import tilewright.cli.io.NearestName;
import tilewright.ptx.Dim3;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of one {@code launch.json}, read strictly: a key that nobody knows, a key that occurs twice, a value of
 * another type and text after the end are errors that name the file and the field.
 */
final class LaunchJson {
  /** Far more than any launch takes; what is larger is no launch file. */
  private static final long MOST_BYTES = 64 << 20;
  private static final Pattern INTEGER = Pattern.compile("-?(0[xX][0-9a-fA-F]{1,16}|0|[1-9][0-9]{0,18})");
  private static final JsonMapper STRICT = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final int LONGEST_VALUE_SHOWN = 80;

  private final Path path;

  LaunchJson(Path path) {
    this.path = path;
  }

  /** The whole file. */
  JsonNode tree() {
    try {
      var root = STRICT.readTree(InputFile.bytes(path, MOST_BYTES));
      if (!root.isObject()) throw bad("is not a JSON object");
      return root;
    } catch (JacksonException e) {
      var at = e.getLocation();
      throw bad("is not JSON" + (at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr())
          + ": " + e.getOriginalMessage().lines().findFirst().orElse(""));
    }
  }

  /**
   * Requires a version of the format that is known; a file that names none is of the first.
   *
   * @param newest the newest version that this program reads
   */
  void requireVersion(JsonNode root, int newest) {
    if (!root.has("version")) return;
    long version = integer("version", root.get("version"), 1, Integer.MAX_VALUE);
    if (version > newest) {
      throw bad("has version " + version + " of the format; this program reads versions up to " + newest
          + ": use a newer one");
    }
  }

  /** @throws CommandFailure if the node is no object or has another key than these */
  void requireKeys(String where, JsonNode node, List<String> known) {
    requireObject(where, node);
    for (var key : node.propertyNames()) {
      if (known.contains(key)) continue;
      throw bad((where.isEmpty() ? "" : where + " ") + "has an unknown key \"" + key + "\""
          + NearestName.hint(key, known, "; known are " + String.join(", ", known)));
    }
  }

  void requireObject(String where, JsonNode node) {
    if (!node.isObject()) throw bad(where + " is " + shown(node) + "; needed is an object");
  }

  JsonNode required(JsonNode node, String key) {
    if (!node.has(key)) throw bad("lacks \"" + key + "\"");
    return node.get(key);
  }

  JsonNode required(String where, JsonNode node, String key) {
    if (!node.has(key)) throw bad(where + " lacks \"" + key + "\"");
    return node.get(key);
  }

  /**
   * Up to three extents; 1 where there are none.
   *
   * @param where the place of the object that has them, or the empty text
   */
  Dim3 extents(String where, JsonNode object, String key) {
    var extents = new ArrayList<>(List.of(1, 1, 1));
    var node = object.path(key);
    var place = (where.isEmpty() ? "" : where + ".") + key;
    if (node.isMissingNode()) return Dim3.ONE;
    if (!node.isArray() || node.size() > 3) {
      throw bad(place + " is " + shown(node) + "; needed is up to three integers");
    }
    for (var i = 0; i < node.size(); i++) {
      extents.set(i, (int) integer(place + "[" + i + "]", node.get(i), 1, Integer.MAX_VALUE));
    }
    return new Dim3(extents.get(0), extents.get(1), extents.get(2));
  }

  /** The elements of an array. */
  Iterable<JsonNode> array(String where, JsonNode node) {
    if (!node.isArray()) throw bad(where + " is " + shown(node) + "; needed is an array");
    return node;
  }

  String text(String where, JsonNode node) {
    if (!node.isString()) throw bad(where + " is " + shown(node) + "; needed is a string");
    return node.stringValue();
  }

  /** Whether the node says true; what is missing says false. */
  boolean truth(String where, JsonNode node) {
    if (!node.isMissingNode() && !node.isBoolean()) {
      throw bad(where + " is " + shown(node) + "; needed is true or false");
    }
    return node.asBoolean(false);
  }

  /** A number, or a string such as {@code "0xCD"}; what is missing counts as the least allowed. */
  long integer(String where, JsonNode node, long least, long most) {
    if (node.isMissingNode()) return least;
    try {
      var value = node.isString() && INTEGER.matcher(node.stringValue()).matches() ? Long.decode(node.stringValue())
          : node.isIntegralNumber() ? (Long) node.longValue() : null;
      if (value != null && value >= least && value <= most) return value;
    } catch (NumberFormatException | JacksonException _) {
      // Reported below with the range.
    }
    throw bad(where + " is " + shown(node) + "; needed is an integer from " + least + " to " + most);
  }

  CommandFailure bad(String message) {
    // Keys may have any characters, but a message is one line.
    return CommandFailure.badFile(path, message.replaceAll("\\p{Cc}", "?"));
  }

  /** A value as a message shows it: long ones only begin. */
  static String shown(JsonNode node) {
    return Excerpt.of(node.toString(), LONGEST_VALUE_SHOWN);
  }
}
