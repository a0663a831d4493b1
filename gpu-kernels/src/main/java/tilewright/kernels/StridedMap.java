package tilewright.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Vector;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Y = f(X, …) element by element for tensors of one shape and any strides, 0 among those of inputs; without a function
 * Y is X, its bits unchanged where both have one type. Functions are computed in FP32 and rounded once.
 *
 * @param inputs the types of X and further inputs
 * @param rank modes D0, D1, … of every tensor, at least one
 * @param vector elements of an access; more than one where the last mode of all tensors is contiguous and aligned
 */
public record StridedMap(Optional<Pointwise> function, List<ElementType> inputs, ElementType output, int rank,
    int vector) implements Kernel {
  private static final int THREADS = 256;
  private static final int WIDEST_BYTES = 16;
  /** Types whose numbers FP32 holds, and which can be computed with. */
  private static final List<ElementType> NUMBERS = List.of(ElementType.F32, ElementType.F16, ElementType.BF16,
      ElementType.E4M3, ElementType.E5M2);
  private static final List<ElementType> EIGHT_BITS = List.of(ElementType.E4M3, ElementType.E5M2);

  public StridedMap {
    inputs = List.copyOf(inputs);
    int needed = function.map(f -> f.inputs().size()).orElse(1);
    if (inputs.size() != needed) {
      throw new IllegalArgumentException(inputs.size() + " inputs; the function takes " + needed);
    }
    if (Stream.concat(inputs.stream(), Stream.of(output)).anyMatch(type -> type.bits() < Byte.SIZE)) {
      throw new IllegalArgumentException("elements of half a byte are not mapped one by one: 8 bits or more");
    }
    boolean moves = function.isEmpty() && inputs.getFirst() == output;
    for (var type : moves ? List.<ElementType>of() : Stream.concat(inputs.stream(), Stream.of(output)).toList()) {
      if (!NUMBERS.contains(type)) {
        throw new IllegalArgumentException("no kernel computes with or converts " + type.text() + ": "
            + NUMBERS.stream().map(ElementType::text).collect(Collectors.joining(" or ")));
      }
    }
  }

  /**
   * Prepares the launch.
   *
   * @param tensors the inputs in order, then Y; all of one shape of at least one mode
   * @throws IllegalArgumentException for types that no kernel converts, or too many elements
   */
  public static PreparedLaunch prepare(Optional<Pointwise> function, List<ElementType> inputs, ElementType output,
      List<LaunchArguments.Tensor> tensors) {
    var types = new ArrayList<>(inputs);
    types.add(output);
    int vector = vector(types, tensors);
    var shape = tensors.getLast().extents();
    var map = new StridedMap(function, inputs, output, shape.size(), vector);
    boolean narrow = map.inputs.stream().anyMatch(t -> t != output) || function.isPresent();
    var target = narrow && types.stream().anyMatch(EIGHT_BITS::contains) ? Target.SM89 : Target.SM80;
    var compiled = CompiledKernel.compile(map, target);
    var arguments = LaunchArguments.of(compiled);
    for (int i = 0; i < tensors.size(); i++) arguments.tensor(map.names().get(i), tensors.get(i));
    long accesses = shape.stream().reduce(1L, Math::multiplyExact) / vector;
    if (accesses > GlobalTensor.MAX_EXTENT) {
      throw new IllegalArgumentException("a tensor " + shape + " takes " + accesses
          + " accesses, more than the 2^30 of a launch: map it part by part");
    }
    return new PreparedLaunch(compiled, Dim3.of(Math.toIntExact(Math.ceilDiv(accesses, THREADS))), arguments.build());
  }

  private static int vector(List<ElementType> types, List<LaunchArguments.Tensor> tensors) {
    int widest = types.stream().mapToInt(ElementType::bytes).max().orElseThrow();
    int vector = WIDEST_BYTES / widest;
    while (vector > 1 && !fits(vector, types, tensors)) vector /= 2;
    return vector;
  }

  private static boolean fits(int vector, List<ElementType> types, List<LaunchArguments.Tensor> tensors) {
    return IntStream.range(0, tensors.size()).allMatch(i -> {
      var tensor = tensors.get(i);
      int last = tensor.extents().size() - 1;
      return tensor.strides().get(last) == 1 && tensor.extents().get(last) % vector == 0
          && tensor.offset() % ((long) vector * types.get(i).bytes()) == 0
          && tensor.strides().stream().limit(last).allMatch(stride -> stride % vector == 0);
    });
  }

  private List<String> names() {
    return Stream.concat(function.map(Pointwise::inputs).orElse(List.of("X")).stream(), Stream.of("Y")).toList();
  }

  @Override
  public String name() {
    return function.map(Pointwise::text).orElse("copy") + "_strided_"
        + inputs.stream().map(ElementType::text).collect(Collectors.joining("_")) + "_" + output.text() + "_" + rank
        + "d_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var access = k.blockX().times(THREADS).plus(k.block(THREADS));
    var names = names();
    var sources = IntStream.range(0, inputs.size()).mapToObj(i -> k.global(spec(names.get(i), inputs.get(i)))).toList();
    var y = k.global(spec("Y", output));
    var place = place(y, access);
    var to = y.at(place);
    k.when(to.inside(), () -> {
      var loaded = sources.stream().map(x -> x.at(place).vector(vector)).toList();
      if (function.isEmpty() && inputs.getFirst() == output) {
        to.store(loaded.getFirst());
        return;
      }
      var values = loaded.stream().map(Vector::values).toList();
      to.store(IntStream.range(0, vector).mapToObj(i -> {
        var arguments = values.stream().map(x -> x.get(i)).toList();
        return function.map(f -> output == ElementType.F32 ? f.of(arguments) : f.narrow(arguments))
            .orElse(arguments.getFirst());
      }).toList());
    });
  }

  private TensorSpec spec(String name, ElementType type) {
    var modes = IntStream.range(0, rank).mapToObj(i -> "D" + i).toArray(String[]::new);
    var spec = TensorSpec.of(name, type, modes);
    var last = modes[rank - 1];
    return vector == 1 ? spec : spec.contiguous(last).aligned(vector).multipleOf(last, vector);
  }

  /** The coordinate of an access, the last mode fastest; behind the last access the first mode is too large. */
  private I32[] place(GlobalTensor y, I32 access) {
    var place = new I32[rank];
    var rest = access;
    for (int mode = rank - 1; mode > 0; mode--) {
      int width = mode == rank - 1 ? vector : 1;
      var extent = width == 1 ? y.extent(mode) : y.extent(mode).dividedBy(width);
      place[mode] = rest.modulo(extent).times(width);
      rest = rest.dividedBy(extent);
    }
    place[0] = rank == 1 ? rest.times(vector) : rest;
    return place;
  }
}
