package tilewright.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.cli.io.Excerpt;
import tilewright.cli.io.NearestName;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxType;
import tools.jackson.databind.JsonNode;

/** Reads {@code "args"} of a {@code launch.json}: buffers, structs, tensor maps and numbers by PTX type. */
final class LaunchArgumentReader {
  private static final int MOST_STRUCT_BYTES = 1 << 16;
  private static final String NEEDED = "; needed is {\"buffer\": NAME}, {\"struct\": …}, {\"tensorMap\": …} or a "
      + "number by PTX type, such as {\"u32\": 5}";
  /** Every kind of argument; the last are the PTX types that a number can have. */
  private static final List<String> KINDS = Stream.concat(Stream.of("buffer", "struct", "tensorMap"),
      Stream.of(PtxType.values()).map(PtxType::text)).toList();

  private final LaunchJson json;
  private final Set<String> buffers;

  LaunchArgumentReader(LaunchJson json, Set<String> buffers) {
    this.json = json;
    this.buffers = buffers;
  }

  /** @param where the place of the array in the file */
  List<Argument> read(String where, JsonNode array) {
    var arguments = new ArrayList<Argument>();
    for (var node : json.array(where, array)) {
      arguments.add(argument(where + "[" + arguments.size() + "]", node, List.of()));
    }
    return arguments;
  }

  /** @param besides keys of the node that say something else than the argument */
  private Argument argument(String where, JsonNode node, List<String> besides) {
    json.requireObject(where, node);
    var kinds = KINDS.stream().filter(node::has).toList();
    if (kinds.size() > 1) throw json.bad(where + " is both \"" + String.join("\" and \"", kinds) + "\"");
    if (kinds.isEmpty()) {
      json.requireKeys(where, node, Stream.concat(KINDS.stream(), besides.stream()).toList());
      throw json.bad(where + " is " + LaunchJson.shown(node) + NEEDED);
    }
    var kind = kinds.getFirst();
    json.requireKeys(where, node, Stream.concat(besides.stream(),
        kind.equals("buffer") ? Stream.of(kind, "bufferOffset") : Stream.of(kind)).toList());
    var value = node.get(kind);
    return switch (kind) {
      case "buffer" -> place(where, node);
      case "struct" -> struct(where + ".struct", value);
      case "tensorMap" -> {
        json.requireObject(where + ".tensorMap", value);
        yield new Argument.TensorMapOf(place(where + ".tensorMap", value),
            LaunchTensorMap.read(json, where + ".tensorMap", value));
      }
      default -> LaunchScalar.read(PtxType.parse(kind).orElseThrow(), value)
          .orElseThrow(() -> json.bad(where + "." + kind + " is " + LaunchJson.shown(value) + "; needed is a number "
              + "that " + kind + " has, or its bits in hexadecimal, such as \"0x1F\""));
    };
  }

  private Argument.Buffer place(String where, JsonNode node) {
    var name = json.text(where + ".buffer", json.required(node, "buffer"));
    requireBuffer(json, where, name, buffers);
    return new Argument.Buffer(name, json.integer(where + ".bufferOffset", node.path("bufferOffset"), 0,
        Long.MAX_VALUE));
  }

  private Argument struct(String where, JsonNode node) {
    json.requireKeys(where, node, List.of("bytes", "fields"));
    var bytes = (int) json.integer(where + ".bytes", json.required(node, "bytes"), 1, MOST_STRUCT_BYTES);
    var fields = new ArrayList<Argument.Field>();
    for (var field : json.array(where + ".fields", json.required(node, "fields"))) {
      var at = where + ".fields[" + fields.size() + "]";
      json.requireObject(at, field);
      fields.add(new Argument.Field((int) json.integer(at + ".offset", json.required(field, "offset"), 0, bytes - 1),
          argument(at, field, List.of("offset"))));
    }
    return new Argument.Struct(bytes, fields);
  }

  static void requireBuffer(LaunchJson json, String where, String name, Set<String> buffers) {
    if (buffers.contains(name)) return;
    throw json.bad(where + " names buffer \"" + name + "\"" + NearestName.hint(name, buffers,
        "; \"buffers\" has " + Excerpt.of(buffers.toString(), LaunchFile.LONGEST_NAME)));
  }
}
