package tilewright.cli.export;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.TensorMapSpec;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.KernelDescription;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.LaunchFeature;

/**
 * All that a program without Tilewright needs to launch a kernel.
 *
 * @param cubins file by target
 * @param features that a launch has to be given, such as {@code programmatic}
 * @param ahead tensors that a programmatic launch may read before the stream's earlier kernels have ended, which must
 *     not write them
 * @param arguments in the kernel's order
 * @param counts extents that the kernel expects to follow another one, by name
 * @param scratch the tensors among them that are the kernel's own
 * @param grid the blocks in x, y and z; every {@code extents} value where {@code formula} is absent
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
record ExportManifest(String kernel, Map<String, String> settings, String entry, String target, String ptx,
    Map<String, String> cubins, List<Integer> block, int dynamicSharedBytes, List<Integer> cluster,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> features,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> ahead, List<Argument> arguments,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, ExtentRules.Count> counts,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Scratch> scratch, Grid grid) {
  private static final String PTX = ".ptx";
  /** The version, which a change that readers of the manifest cannot ignore raises. */
  private static final int VERSION = 1;

  /** The version of the manifest's format. */
  @JsonProperty(access = JsonProperty.Access.READ_ONLY)
  int version() {
    return VERSION;
  }

  /**
   * The grid of a launch.
   *
   * @param formula for any extents; absent where the kernel is for {@code extents} only
   * @param text the formula, to read
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Grid(List<Integer> blocks, Map<String, Integer> extents, Optional<List<GridFormula.Direction>> formula,
      List<String> text) {}

  /**
   * Memory of zeros before the first launch, which each launch leaves as the next one needs it; not for two at once.
   *
   * @param strides in elements
   */
  record Scratch(String name, String dtype, long bytes, List<Long> extents, List<Long> strides) {
    static Scratch of(PreparedLaunch.Scratch part) {
      return new Scratch(part.name(), part.type().text(), part.bytes(), part.tensor().extents(),
          part.tensor().strides());
    }
  }

  /** One argument by its PTX type. */
  sealed interface Argument {
    String name();

    String type();

    /**
     * The address of a tensor's first element.
     *
     * @param bytes of an element
     * @param extents names, one a mode
     * @param contiguous the mode of stride 1, or absent
     * @param alignment bytes, of the address and of every stride but the contiguous mode's
     * @param multiples what an extent must be a multiple of
     * @param fixed extents that the kernel was made for
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    record Pointer(String kind, String name, String type, String dtype, int bytes, List<String> extents,
        Optional<String> contiguous, int alignment, Map<String, Integer> multiples, Map<String, Integer> fixed)
        implements Argument {
      static Pointer of(String type, TensorSpec t, ExtentRules rules) {
        return new Pointer("pointer", t.name(), type, t.type().text(), t.type().bytes(), t.extents(), t.contiguous(),
            t.alignment() * t.type().bytes(), new TreeMap<>(t.multiples()), rules.fixed(t));
      }
    }

    /**
     * A tensor map, which a launch makes by {@code cuTensorMapEncodeTiled} from a tensor as a {@link Pointer} says.
     *
     * @param element the map's data type
     * @param bits of an element in global memory; fewer than those of {@code bytes} where a copy unpacks it
     * @param order the tensor's modes, innermost first
     * @param box coordinates that a copy spans, innermost first
     * @param steps coordinates from one element of it to the next, innermost first
     */
    @JsonInclude(JsonInclude.Include.NON_ABSENT)
    record TensorMap(String kind, String name, String type, String tensor, String dtype, int bytes,
        List<String> extents, Optional<String> contiguous, int alignment, Map<String, Integer> multiples,
        Map<String, Integer> fixed, String element, int bits, List<Integer> order, List<Integer> box,
        List<Integer> steps, String swizzle)
        implements Argument {
      static TensorMap of(String name, String type, TensorMapSpec map, ExtentRules rules) {
        var t = map.tensor();
        return new TensorMap("tensorMap", name, type, t.name(), t.type().text(), t.type().bytes(), t.extents(),
            t.contiguous(), t.alignment() * t.type().bytes(), new TreeMap<>(t.multiples()), rules.fixed(t),
            map.element().text(), map.element().bits(), map.order(),
            map.order().stream().map(map.spans()::get).toList(), map.order().stream().map(map.steps()::get).toList(),
            map.swizzle().toString());
      }
    }

    /** The stride of a tensor's mode, in elements. */
    record Stride(String kind, String name, String type, String tensor, int mode) implements Argument {}

    /** An extent. */
    record Extent(String kind, String name, String type) implements Argument {}

    /** A number. */
    record Scalar(String kind, String name, String type) implements Argument {}
  }

  static ExportManifest of(KernelDescription kernel, Map<String, String> settings, Map<String, String> cubins) {
    var launch = kernel.prepare(new Choice(settings));
    var compiled = launch.kernel();
    var extents = extents(launch);
    var names = settingsByExtent(kernel, settings, extents);
    names.keySet().removeAll(fixed(launch));
    var seen = new ArrayList<Map<String, Integer>>();
    var found = formula(kernel, settings, launch, names, seen);
    var rules = ExtentRules.of(names.keySet(), seen);
    // A formula is of no use beside an extent of which it is not known what it has to be.
    var formula = found.filter(_ -> rules.complete());
    var kept = formula.isPresent() ? rules : ExtentRules.NONE;
    return new ExportManifest(kernel.name(), new TreeMap<>(settings), compiled.name(), compiled.module().target(),
        name(kernel, settings, compiled.name()) + PTX, new TreeMap<>(cubins), list(compiled.block()),
        compiled.dynamicSharedBytes(), list(compiled.cluster()),
        compiled.features().stream().map(LaunchFeature::text).sorted().toList(),
        compiled.ahead().stream().sorted().toList(),
        compiled.parameters().stream().map(p -> argument(p, kept)).toList(), new TreeMap<>(kept.counts()),
        launch.scratch().stream().map(Scratch::of).toList(),
        new Grid(list(launch.grid()), extents, formula.map(GridFormula::directions),
            formula.map(f -> f.directions().stream().map(Object::toString).toList()).orElse(List.of())));
  }

  /**
   * The name of an export's files and C functions: the entry and every setting that is not the kernel's own, so
   * that two configurations of a kernel can be used in one program.
   */
  static String name(KernelDescription kernel, Map<String, String> settings, String entry) {
    var defaults = kernel.defaults().values();
    return entry + new TreeMap<>(settings).entrySet().stream()
        .filter(e -> !e.getValue().equals(defaults.get(e.getKey())))
        .map(e -> "_" + e.getKey() + "_" + e.getValue().replaceAll("[^A-Za-z0-9]", "_")).collect(Collectors.joining());
  }

  /** The name of this export's files and C functions. */
  String name() {
    return ptx.substring(0, ptx.length() - PTX.length());
  }

  private static List<Integer> list(Dim3 extents) {
    return List.of(extents.x(), extents.y(), extents.z());
  }

  private static Argument argument(KernelParameter parameter, ExtentRules rules) {
    var type = parameter.type().text();
    return switch (parameter) {
      case KernelParameter.Pointer(var t) -> Argument.Pointer.of(type, t, rules);
      case KernelParameter.Stride s -> new Argument.Stride("stride", s.name(), type, s.tensor().name(), s.mode());
      case KernelParameter.Extent(var name) -> new Argument.Extent("extent", name, type);
      case KernelParameter.Scalar(var name, _) -> new Argument.Scalar("scalar", name, type);
      case KernelParameter.Map(var map) -> Argument.TensorMap.of(parameter.name(), type, map, rules);
    };
  }

  /** @param seen gets the extents of every launch that is of the same kernel */
  private static Optional<GridFormula> formula(KernelDescription kernel, Map<String, String> settings,
      PreparedLaunch launch, Map<String, String> names, List<Map<String, Integer>> seen) {
    var base = new TreeMap<>(extents(launch));
    base.keySet().retainAll(names.keySet());
    var ptx = launch.kernel().ptx();
    return base.isEmpty() ? Optional.empty() : GridFormula.find(base, asked -> {
      var changed = new HashMap<>(settings);
      asked.forEach((extent, value) -> changed.put(names.get(extent), value.toString()));
      var same = prepared(kernel, changed)
          .filter(p -> p.kernel().ptx().equals(ptx) && p.scratch().equals(launch.scratch()));
      same.ifPresent(p -> seen.add(extents(p)));
      return same.map(PreparedLaunch::grid);
    });
  }

  /** Extents that the kernel was made for, although it is told them. */
  private static Set<String> fixed(PreparedLaunch launch) {
    return launch.kernel().parameters().stream().flatMap(p -> p instanceof KernelParameter.Pointer(var tensor)
        ? tensor.fixed().keySet().stream() : Stream.empty()).collect(Collectors.toSet());
  }

  /** The run-time extents' values. */
  private static Map<String, Integer> extents(PreparedLaunch launch) {
    var extents = new TreeMap<String, Integer>();
    var parameters = launch.kernel().parameters();
    for (int i = 0; i < parameters.size(); i++) {
      if (parameters.get(i) instanceof KernelParameter.Extent(var name)
          && launch.arguments().get(i) instanceof Launch.Argument.Scalar(_, long bits)) {
        extents.put(name, (int) bits);
      }
    }
    return extents;
  }

  /** Maps each extent to the setting that determines it: the one with which it changes. */
  private static Map<String, String> settingsByExtent(KernelDescription kernel, Map<String, String> settings,
      Map<String, Integer> extents) {
    var names = new LinkedHashMap<String, String>();
    for (var setting : settings.entrySet()) {
      if (!setting.getValue().matches("\\d+")) continue;
      int own = Integer.parseInt(setting.getValue());
      // Some numbers have a largest: there are no more heads of keys than of queries.
      for (int other : new int[] {2 * own, own / 2}) {
        var changed = new HashMap<>(settings);
        changed.put(setting.getKey(), "" + other);
        prepared(kernel, changed).map(ExportManifest::extents).ifPresent(found -> found.forEach((extent, value) -> {
          if (value == other && extents.get(extent) == own) names.putIfAbsent(extent, setting.getKey());
        }));
        if (names.containsValue(setting.getKey())) break;
      }
    }
    return names;
  }

  /** Nothing where the kernel cannot be made with these settings. */
  private static Optional<PreparedLaunch> prepared(KernelDescription kernel, Map<String, String> settings) {
    try {
      return Optional.of(kernel.prepare(new Choice(settings)));
    } catch (IllegalArgumentException | ArithmeticException _) {
      return Optional.empty();
    }
  }
}
