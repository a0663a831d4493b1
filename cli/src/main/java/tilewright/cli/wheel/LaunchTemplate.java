package tilewright.cli.wheel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import tilewright.kernel.KernelParameter;
import tilewright.kernel.LaunchSequence;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.TensorMap;

/**
 * Launches of the same kernels with formulas in the place of numbers, found from launches that Java prepared for a
 * number of problems.
 *
 * @param problem what the launches are of, for messages
 * @param fit finds formulas from the samples' problems
 * @param samples the launches of each problem
 */
record LaunchTemplate(String problem, FormulaFit fit, List<LaunchSequence> samples) {
  LaunchTemplate {
    samples = List.copyOf(samples);
  }

  /**
   * The launches in JSON, but for their kernels, which {@link PackagedKernels#numbered} gives their numbers.
   *
   * @throws IllegalStateException naming a number that no formula gives
   */
  Map<String, Object> json() {
    var first = samples.getFirst();
    var launches = IntStream.range(0, first.launches().size()).mapToObj(i -> launch(i)).toList();
    var workspace = IntStream.range(0, first.workspace().size()).<Object>mapToObj(i -> {
      var name = first.workspace().get(i).name();
      return List.of(name, formula("the size of " + name, s -> s.workspace().get(i).bytes()));
    }).toList();
    return Map.of("launches", launches, "workspace", workspace);
  }

  private Object launch(int i) {
    var launch = samples.getFirst().launches().get(i);
    var name = launch.kernel().name();
    var grid = List.of(formula(name + "'s grid in x", s -> s.launches().get(i).grid().x()),
        formula(name + "'s grid in y", s -> s.launches().get(i).grid().y()),
        formula(name + "'s grid in z", s -> s.launches().get(i).grid().z()));
    var arguments = IntStream.range(0, launch.arguments().size()).mapToObj(a -> argument(i, a)).toList();
    var scratch = IntStream.range(0, launch.scratch().size()).<Object>mapToObj(part -> {
      var memory = launch.scratch().get(part).name();
      return List.of(memory, formula("the size of " + memory, s -> s.launches().get(i).scratch().get(part).bytes()));
    }).toList();
    var json = Map.<String, Object>of("kernel", launch.kernel(), "grid", grid, "arguments", arguments);
    if (scratch.isEmpty()) return json;
    var all = new TreeMap<>(json);
    all.put("scratch", scratch);
    return all;
  }

  private Object argument(int launch, int place) {
    var kernel = samples.getFirst().launches().get(launch).kernel();
    var parameter = kernel.parameters().get(place);
    var name = kernel.name() + "'s argument " + parameter.name();
    Function<LaunchSequence, Argument> given = s -> s.launches().get(launch).arguments().get(place);
    return switch (given.apply(samples.getFirst())) {
      case Argument.Buffer(var buffer, _) -> List.of("pointer", buffer);
      case Argument.Scalar(var type, _) when type == PtxType.F32 -> List.of("f32", parameter.name());
      case Argument.Scalar(var type, _) -> List.of(parameter instanceof KernelParameter.Stride ? "s64" : "u32",
          formula(name, s -> ((Argument.Scalar) given.apply(s)).bits()));
      case Argument.TensorMapOf(var buffer, TensorMap.Tiled(var view, var box)) -> {
        var dims = IntStream.range(0, view.rank()).mapToObj(d -> formula(name + "'s extent " + d,
            s -> tiled(given.apply(s)).view().dims().get(d))).toList();
        var strides = IntStream.range(0, view.rank() - 1).mapToObj(d -> formula(name + "'s stride " + d,
            s -> tiled(given.apply(s)).view().strides().get(d))).toList();
        yield new ArrayList<>(List.of("map", buffer.name(), view.element().ordinal(), dims, strides, box,
            view.elementStrides(), view.swizzle().ordinal(), view.l2Promotion().ordinal()));
      }
      default -> throw new IllegalStateException(name + " is of no kind that Python packs");
    };
  }

  private static TensorMap.Tiled tiled(Argument argument) {
    return (TensorMap.Tiled) ((Argument.TensorMapOf) argument).map();
  }

  private Object formula(String name, ToLongFunction<LaunchSequence> number) {
    var values = samples.stream().mapToLong(number).toArray();
    return fit.find(values).orElseThrow(() -> new IllegalStateException("no formula gives " + name + " of " + problem
        + ": " + IntStream.range(0, Math.min(8, values.length)).mapToObj(i -> values[i] + " for "
            + fit.samples().get(i)).toList())).json();
  }
}
