package tilewright.verification.golden;

import java.util.Optional;
import tilewright.layout.Layout;
import tilewright.layout.Tiler;
import tilewright.layout.tuple.IntTuple;
import tools.jackson.databind.JsonNode;

/** One golden vector: operands, and what an oracle answered. */
record GoldenRecord(JsonNode json) {

  String id() {
    return json.get("id").asString();
  }

  String operation() {
    return json.get("op").asString();
  }

  /** Records without one, as of hardware, are data to hold. */
  String verdict() {
    return text("verdict").orElse("");
  }

  boolean raises() {
    return verdict().equals("raises");
  }

  /** The oracle; records from pycute do not name theirs. */
  String oracle() {
    return text("oracle").orElseGet(() -> operation().startsWith("tract_") ? "tract" : "pycute");
  }

  String arguments() {
    return json.has("args") ? json.get("args").toString() : json.path("name").toString();
  }

  boolean has(String field) {
    return json.hasNonNull(field);
  }

  boolean says(String field) {
    return json.path(field).asBoolean(false);
  }

  /** A field of the record that is text. */
  Optional<String> text(String field) {
    var node = json.path(field);
    return node.isMissingNode() || node.isNull() ? Optional.empty()
        : Optional.of(node.isString() ? node.asString() : node.toString());
  }

  /** The oracle's answer, in notation. */
  String expected() {
    return text("expect").orElseThrow(() -> new IllegalArgumentException("the record has no answer"));
  }

  Layout expectedLayout() {
    return Layout.parse(expected());
  }

  /** The table that the definition demands, if the record lists one. */
  Optional<long[]> truth() {
    return table("truth").or(() -> table("table"));
  }

  Optional<long[]> table(String field) {
    if (!json.path(field).isArray()) return Optional.empty();
    return Optional.of(json.get(field).valueStream().mapToLong(JsonNode::asLong).toArray());
  }

  boolean hasArgument(String name) {
    return json.path("args").hasNonNull(name);
  }

  JsonNode node(String name) {
    var node = json.path("args").path(name);
    if (node.isMissingNode()) throw new IllegalArgumentException("the record has no argument '" + name + "'");
    return node;
  }

  String argument(String name) {
    return node(name).asString();
  }

  long number(String name) {
    return node(name).asLong();
  }

  Layout layout(String name) {
    return Layout.parse(argument(name));
  }

  IntTuple tuple(String name) {
    return IntTuple.parse(argument(name));
  }

  Tiler tiler(String name) {
    return Tiler.parse(argument(name));
  }
}
