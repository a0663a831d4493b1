package tilewright.kernel.collective.attention;

import java.util.HashMap;
import java.util.Map;
import tilewright.kernel.LaunchArguments;

/**
 * The data that a launch gives to score and mask functions.
 *
 * @param tensors by name
 * @param numbers that functions read by {@link tilewright.kernel.F32#parameter}
 * @param integers that functions read by {@link tilewright.kernel.I32#parameter}
 */
public record Captures(Map<String, Given> tensors, Map<String, Float> numbers, Map<String, Integer> integers) {
  public static final Captures NONE = new Captures(Map.of(), Map.of(), Map.of());

  public Captures {
    tensors = Map.copyOf(tensors);
    numbers = Map.copyOf(numbers);
    integers = Map.copyOf(integers);
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

    /** A dense tensor in the buffer of its name, the last extent contiguous. */
    public static Given dense(CapturedTensor tensor, long... extents) {
      return new Given(tensor, tensor.dense(extents));
    }
  }

  /** Whether a tensor has several indices: then functions read it for each score, which takes registers. */
  public boolean perScore() {
    return tensors.values().stream().anyMatch(given -> given.tensor().rank() > 1);
  }

  /** Returns this data and a tensor, in the place of one of the same name. */
  public Captures and(Given tensor) {
    return new Captures(with(tensors, tensor.tensor().name(), tensor), numbers, integers);
  }

  /** Returns this data and a number, in the place of one of the same name. */
  public Captures and(String name, float number) {
    return new Captures(tensors, with(numbers, name, number), integers);
  }

  /** Returns this data and an integer in 0…2³⁰, in the place of one of the same name. */
  public Captures and(String name, int integer) {
    return new Captures(tensors, numbers, with(integers, name, integer));
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
  }
}
