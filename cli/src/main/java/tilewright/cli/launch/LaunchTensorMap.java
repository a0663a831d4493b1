package tilewright.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.ptx.tensormap.WideMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Tensor maps of {@code launch.json}. {@code "mode"} is {@code tiled} (with {@code box}), {@code im2col} or
 * {@code im2colWide}; what is not said of element strides, interleave, swizzle, promotion and fill is the simplest.
 */
final class LaunchTensorMap {
  private static final List<String> COMMON = List.of("buffer", "bufferOffset", "mode", "dtype", "dims", "strides",
      "elementStrides", "interleave", "swizzle", "l2Promotion", "oobFill");

  private final LaunchJson file;
  private final String where;
  private final JsonNode node;

  private LaunchTensorMap(LaunchJson file, String where, JsonNode node) {
    this.file = file;
    this.where = where;
    this.node = node;
  }

  static TensorMap read(LaunchJson file, String where, JsonNode node) {
    return new LaunchTensorMap(file, where, node).map();
  }

  private TensorMap map() {
    var mode = node.has("mode") ? file.text(where + ".mode", node.get("mode")) : "tiled";
    requireKeys(mode);
    return switch (mode) {
      case "tiled" -> new TensorMap.Tiled(view(), ints("box"));
      case "im2col" -> new TensorMap.Im2col(view(), ints("lowerCorner"), ints("upperCorner"),
          integer("channelsPerPixel"), integer("pixelsPerColumn"));
      default -> new TensorMap.Im2colWide(view(), integer("lowerCornerWidth"), integer("upperCornerWidth"),
          integer("channelsPerPixel"), integer("pixelsPerColumn"), named("wideMode", WideMode::parse, WideMode.W));
    };
  }

  private void requireKeys(String mode) {
    var own = switch (mode) {
      case "tiled" -> Stream.of("box");
      case "im2col" -> Stream.of("lowerCorner", "upperCorner", "channelsPerPixel", "pixelsPerColumn");
      case "im2colWide" -> Stream.of("lowerCornerWidth", "upperCornerWidth", "channelsPerPixel", "pixelsPerColumn",
          "wideMode");
      default -> throw file.bad(where + ".mode is " + mode + "; needed is tiled, im2col or im2colWide");
    };
    file.requireKeys(where, node, Stream.concat(COMMON.stream(), own).toList());
  }

  private TensorView view() {
    var name = file.text(where + ".dtype", file.required(node, "dtype"));
    var element = TensorElement.parse(name)
        .orElseThrow(() -> file.bad(where + ".dtype is " + name + "; needed is one of "
            + List.of(TensorElement.values())));
    var dims = longs("dims");
    var strides = dims.size() == 1 && !node.has("strides") ? List.<Long>of() : longs("strides");
    var simplest = TensorView.of(element, dims, strides);
    return new TensorView(element, dims, strides,
        node.has("elementStrides") ? ints("elementStrides") : simplest.elementStrides(),
        named("interleave", Interleave::parse, simplest.interleave()),
        named("swizzle", SwizzleMode::parse, simplest.swizzle()),
        named("l2Promotion", L2Promotion::parse, simplest.l2Promotion()),
        named("oobFill", OutOfBoundsFill::parse, simplest.fill()));
  }

  private <E extends Enum<E>> E named(String key, Function<String, Optional<E>> parse, E otherwise) {
    if (!node.has(key)) return otherwise;
    var text = file.text(where + "." + key, node.get(key));
    return parse.apply(text).orElseThrow(() -> file.bad(where + "." + key + " is " + text + "; needed is one of "
        + List.of(otherwise.getDeclaringClass().getEnumConstants())));
  }

  private int integer(String key) {
    return (int) file.integer(where + "." + key, file.required(node, key), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private List<Integer> ints(String key) {
    return numbers(key, Integer.MIN_VALUE, Integer.MAX_VALUE).stream().map(Long::intValue).toList();
  }

  private List<Long> longs(String key) {
    return numbers(key, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private List<Long> numbers(String key, long least, long most) {
    var array = file.required(node, key);
    if (!array.isArray()) throw file.bad(where + "." + key + " is " + LaunchJson.shown(array) + "; needed is a list of integers");
    var numbers = new ArrayList<Long>();
    for (var number : array) numbers.add(file.integer(where + "." + key, number, least, most));
    return numbers;
  }

  static void write(ObjectNode node, Argument.TensorMapOf argument) {
    var view = argument.map().view();
    node.put("buffer", argument.buffer().name()).put("bufferOffset", argument.buffer().offset());
    node.put("dtype", view.element().text());
    view.dims().forEach(node.putArray("dims")::add);
    view.strides().forEach(node.putArray("strides")::add);
    view.elementStrides().forEach(node.putArray("elementStrides")::add);
    node.put("interleave", view.interleave().toString()).put("swizzle", view.swizzle().toString());
    node.put("l2Promotion", view.l2Promotion().toString()).put("oobFill", view.fill().toString());
    switch (argument.map()) {
      case TensorMap.Tiled(TensorView _, var box) -> box.forEach(node.putArray("box")::add);
      case TensorMap.Im2col m -> {
        node.put("mode", "im2col");
        m.lowerCorner().forEach(node.putArray("lowerCorner")::add);
        m.upperCorner().forEach(node.putArray("upperCorner")::add);
        node.put("channelsPerPixel", m.channelsPerPixel()).put("pixelsPerColumn", m.pixelsPerColumn());
      }
      case TensorMap.Im2colWide m -> node.put("mode", "im2colWide").put("lowerCornerWidth", m.lowerCornerWidth())
          .put("upperCornerWidth", m.upperCornerWidth()).put("channelsPerPixel", m.channelsPerPixel())
          .put("pixelsPerColumn", m.pixelsPerColumn()).put("wideMode", m.mode().name());
    }
  }
}
