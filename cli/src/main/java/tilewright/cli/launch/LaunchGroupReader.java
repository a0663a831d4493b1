package tilewright.cli.launch;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchGroup;
import tools.jackson.databind.JsonNode;

/**
 * Reads {@code "launches"} of a {@code launch.json}: launches of several devices that run at the same time. A key of a
 * launch may stand beside {@code "launches"} instead, for all of them.
 */
final class LaunchGroupReader {
  static final String KEY = "launches";
  private static final List<String> COMMON = List.of("entry", "grid", "block", "cluster", "dynamicSharedBytes");
  private static final List<String> KEYS = List.of("device", "peers", "entry", "grid", "block", "cluster",
      "dynamicSharedBytes", "args");
  private static final int LAST_DEVICE = LaunchGroup.MOST_DEVICES - 1;

  private final LaunchJson json;
  private final JsonNode root;

  LaunchGroupReader(LaunchJson json, JsonNode root) {
    this.json = json;
    this.root = root;
  }

  /** Refuses devices where there is one launch. */
  static void requireNone(LaunchJson json, JsonNode root) {
    for (var buffer : root.path("buffers").properties()) {
      if (buffer.getValue().has("device")) {
        throw json.bad("buffers." + buffer.getKey() + " has a \"device\", but the file has one launch; needed is \""
            + KEY + "\", one for each device");
      }
    }
  }

  /** @throws IllegalArgumentException if the launches do not fit together */
  LaunchGroup read(String ptx, Map<String, MemorySegment> buffers) {
    for (var key : List.of("args", "features")) {
      if (root.has(key)) throw json.bad("has \"" + key + "\" beside \"" + KEY + "\"; needed is one or the other");
    }
    var members = new ArrayList<LaunchGroup.Member>();
    for (var node : json.array(KEY, root.get(KEY))) {
      members.add(member(KEY + "[" + members.size() + "]", node, ptx, buffers));
    }
    return new LaunchGroup(members, owners(buffers.keySet()));
  }

  private LaunchGroup.Member member(String where, JsonNode node, String ptx, Map<String, MemorySegment> buffers) {
    json.requireKeys(where, node, KEYS);
    for (var key : COMMON) {
      if (node.has(key) && root.has(key)) throw json.bad("has \"" + key + "\" twice, in " + where + " and beside it");
    }
    int device = device(where, node);
    var peers = new HashSet<Integer>();
    if (node.has("peers")) {
      for (var peer : json.array(where + ".peers", node.get("peers"))) {
        peers.add((int) json.integer(where + ".peers[" + peers.size() + "]", peer, 0, LAST_DEVICE));
      }
    }
    var arguments = new LaunchArgumentReader(json, buffers.keySet())
        .read(where + ".args", json.required(where, node, "args"));
    var entry = json.text(where + ".entry", json.required(where, of(node, "entry"), "entry"));
    var bytes = of(node, "dynamicSharedBytes").path("dynamicSharedBytes");
    return new LaunchGroup.Member(device, peers, new Launch(ptx, entry, json.extents(where, of(node, "grid"), "grid"),
        json.extents(where, of(node, "block"), "block"), json.extents(where, of(node, "cluster"), "cluster"),
        (int) json.integer(where + ".dynamicSharedBytes", bytes, 0, 1 << 30), buffers, arguments));
  }

  /** The object that has a key: the launch, or else the file, for all launches. */
  private JsonNode of(JsonNode launch, String key) {
    return launch.has(key) ? launch : root;
  }

  private int device(String where, JsonNode node) {
    return (int) json.integer(where + ".device", json.required(where, node, "device"), 0, LAST_DEVICE);
  }

  private Map<String, Integer> owners(Set<String> buffers) {
    var owners = new HashMap<String, Integer>();
    for (var name : buffers) owners.put(name, device("buffers." + name, root.get("buffers").get(name)));
    return owners;
  }
}
