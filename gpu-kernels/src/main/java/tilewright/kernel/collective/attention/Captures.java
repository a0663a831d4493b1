package tilewright.kernel.collective.attention;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import tilewright.kernel.LaunchArguments;
import tilewright.numerics.ElementType;

/**
 * The data that a launch gives to score and mask functions.
 *
 * @param tensors by name
 * @param numbers that functions read by {@link tilewright.kernel.F32#parameter}
 * @param integers that functions read by {@link tilewright.kernel.I32#parameter}
 * @param differentiated the names of tensors whose gradients backward kernels compute
 */
public record Captures(Map<String, Given> tensors, Map<String, Float> numbers, Map<String, Integer> integers,
    Set<String> differentiated) {
  public static final Captures NONE = new Captures(Map.of(), Map.of(), Map.of(), Set.of());

  public Captures {
    tensors = Map.copyOf(tensors);
    numbers = Map.copyOf(numbers);
    integers = Map.copyOf(integers);
    differentiated = Set.copyOf(differentiated);
  }

  /** A captured tensor and its place in a buffer. */
  public record Given(CapturedTensor tensor, LaunchArguments.Tensor place) {
    public Given {
      int rank = tensor.rank();
      if (place.extents().size() != rank || place.strides().size() != rank) {
        throw new IllegalArgumentException("captured tensor " + tensor.name() + " has rank " + rank + ", got extents "
            + place.extents() + " and strides " + place.strides());
      }
      for (long extent : place.extents()) {
        if (extent < 1) {
          throw new IllegalArgumentException("captured tensor " + tensor.name() + " has extents " + place.extents()
              + ": each at least 1");
        }
      }
    }

    private boolean isAlignedToPairs() {
      int last = place.strides().size() - 1;
      return place.offset() % (2L * tensor.type().bytes()) == 0 && place.strides().get(last) == 1
          && place.strides().subList(0, last).stream().allMatch(stride -> stride % 2 == 0);
    }

    /** This tensor at a place that all tensors share whose kernels are the same. */
    private Given traced() {
      boolean pairs = isAlignedToPairs();
      var strides = new ArrayList<>(Collections.nCopies(tensor.rank(), pairs ? 2L : 1L));
      strides.set(tensor.rank() - 1, 1L);
      return new Given(tensor, new LaunchArguments.Tensor(tensor.name(), pairs ? 0 : tensor.type().bytes(),
          Collections.nCopies(tensor.rank(), 1L), strides));
    }

    /** A dense tensor in the buffer of its name, the last extent contiguous. */
    public static Given dense(CapturedTensor tensor, long... extents) {
      return new Given(tensor, tensor.dense(extents));
    }
  }

  /** The data as kernels see it: no extents, strides or values, which launches give. */
  Captures traced() {
    return new Captures(each(tensors, Given::traced), each(numbers, _ -> 0f), each(integers, _ -> 0), differentiated);
  }

  private static <V> Map<String, V> each(Map<String, V> map, UnaryOperator<V> change) {
    return map.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e -> change.apply(e.getValue())));
  }

  /**
   * The names, in kernels, of tensors whose rows begin at pairs of elements: two numbers beside each other are in one
   * access.
   */
  Set<String> alignedToPairs() {
    return tensors.values().stream().filter(Given::isAlignedToPairs)
        .map(given -> CapturedTensor.PREFIX + given.tensor().name()).collect(Collectors.toSet());
  }

  /** Whether a tensor has several indices: then functions read it for each score, which takes registers. */
  public boolean perScore() {
    return tensorsPerScore() > 0;
  }

  /** The number of tensors with several indices. */
  public int tensorsPerScore() {
    return (int) tensors.values().stream().filter(given -> given.tensor().rank() > 1).count();
  }

  /** Returns this data and a tensor, in the place of one of the same name. */
  public Captures and(Given tensor) {
    return new Captures(with(tensors, tensor.tensor().name(), tensor), numbers, integers, differentiated);
  }

  /** Returns this data and a number, in the place of one of the same name. */
  public Captures and(String name, float number) {
    return new Captures(tensors, with(numbers, name, number), integers, differentiated);
  }

  /** Returns this data and an integer in 0…2³⁰, in the place of one of the same name. */
  public Captures and(String name, int integer) {
    return new Captures(tensors, numbers, with(integers, name, integer), differentiated);
  }

  /**
   * Returns this data with the gradient of a tensor.
   *
   * @throws IllegalArgumentException unless it is a captured tensor of floating-point numbers
   */
  public Captures differentiating(String name) {
    var given = tensors.get(name);
    if (given == null) {
      throw new IllegalArgumentException("no gradient of " + name + ", which is not captured: there are "
          + String.join(", ", tensors.keySet().stream().sorted().toList()));
    }
    if (given.tensor().type() == ElementType.I32 || given.tensor().type() == ElementType.I8) {
      throw new IllegalArgumentException("no gradient of " + name + ", whose elements are integers");
    }
    var all = new HashSet<>(differentiated);
    all.add(name);
    return new Captures(tensors, numbers, integers, all);
  }

  /** The names, in kernels, of tensors that are differentiated. */
  Set<String> differentiatedInKernels() {
    return differentiated.stream().map(name -> CapturedTensor.PREFIX + name).collect(Collectors.toSet());
  }

  /** The dense gradient of a tensor, in the buffer of its name behind a d: FP32, the last extent contiguous. */
  public LaunchArguments.Tensor gradient(String name) {
    var given = tensors.get(name);
    return CapturedTensor.of("d" + name, ElementType.F32, given.tensor().rank())
        .dense(given.place().extents().stream().mapToLong(Long::longValue).toArray());
  }

  private static <V> Map<String, V> with(Map<String, V> map, String name, V value) {
    var all = new HashMap<>(map);
    all.put(name, value);
    return all;
  }

  /** Gives the data to a launch. */
  public void addTo(LaunchArguments arguments) {
    tensors.forEach((name, given) -> arguments.tensor(CapturedTensor.PREFIX + name, given.place()));
    numbers.forEach(arguments::scalar);
    integers.forEach(arguments::integer);
    differentiated.forEach(name -> arguments.tensor("d" + CapturedTensor.PREFIX + name, gradient(name)));
  }
}
