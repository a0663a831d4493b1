package tilewright.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tilewright.kernels.Pointwise;
import tilewright.kernels.StridedMap;
import tilewright.numerics.ElementType;

/** Operators that work element by element, on any strides. */
final class Maps {
  private final Ops ops;

  Maps(Ops ops) {
    this.ops = ops;
  }

  DeviceTensor apply(Pointwise function, List<DeviceTensor> inputs) {
    var extents = extents(function, inputs);
    var result = ops.empty(inputs.getFirst().type(), extents.stream().mapToLong(v -> v).toArray());
    return ops.computed(result, () -> run(Optional.of(function), inputs, result));
  }

  /** Writes into a tensor of the result's shape, which may be an input, but not a part of one. */
  void apply(Pointwise function, List<DeviceTensor> inputs, DeviceTensor into) {
    var extents = extents(function, inputs);
    ops.memory().requireWritable(into);
    if (!into.form().extents().equals(extents)) {
      throw new IllegalArgumentException(function.text() + " of " + inputs + " cannot be written into " + into);
    }
    boolean partly = inputs.stream().anyMatch(x -> overlap(x, into)
        && !(x.offset() == into.offset() && x.form().equals(into.form()) && x.type() == into.type()));
    if (!partly) {
      run(Optional.of(function), inputs, into);
      return;
    }
    try (var between = apply(function, inputs)) {
      copy(between, into);
    }
  }

  private List<Long> extents(Pointwise function, List<DeviceTensor> inputs) {
    int needed = function.inputs().size();
    if (inputs.size() != needed) {
      throw new IllegalArgumentException(function.text() + " takes " + needed + " tensors, not " + inputs.size());
    }
    inputs.forEach(ops::requireOwn);
    return inputs.stream().map(x -> x.form().extents()).reduce(List.of(), (a, b) -> common(a, b, inputs));
  }

  /** The extents that both can be repeated to, aligned at the last mode. */
  private static List<Long> common(List<Long> a, List<Long> b, List<DeviceTensor> inputs) {
    int rank = Math.max(a.size(), b.size());
    var all = new ArrayList<Long>();
    for (int mode = 0; mode < rank; mode++) {
      long first = extent(a, mode - rank + a.size());
      long second = extent(b, mode - rank + b.size());
      if (first != second && first != 1 && second != 1) {
        throw new IllegalArgumentException("shapes of " + inputs + " do not fit: extents are equal, or one of them is "
            + "1 and is repeated");
      }
      all.add(first == 1 ? second : first);
    }
    return all;
  }

  private static long extent(List<Long> extents, int mode) {
    return mode < 0 ? 1 : extents.get(mode);
  }

  /** Copies all elements, converted to the target's type; one may be a view of the other. */
  void copy(DeviceTensor from, DeviceTensor into) {
    ops.requireOwn(from);
    ops.memory().requireWritable(into);
    if (!from.form().extents().equals(into.form().extents())) {
      throw new IllegalArgumentException("cannot copy " + from + " into " + into + ": their shapes differ");
    }
    if (!overlap(from, into)) {
      run(Optional.empty(), List.of(from), into);
      return;
    }
    try (var between = ops.empty(from.type(), from.shape())) {
      run(Optional.empty(), List.of(from), between);
      run(Optional.empty(), List.of(between), into);
    }
  }

  private static boolean overlap(DeviceTensor a, DeviceTensor b) {
    return a.storage() == b.storage() && a.offset() < b.offset() + b.type().bytes(b.form().span())
        && b.offset() < a.offset() + a.type().bytes(a.form().span());
  }

  private void run(Optional<Pointwise> function, List<DeviceTensor> inputs, DeviceTensor result) {
    var types = inputs.stream().map(DeviceTensor::type).toList();
    // Types that no kernel maps are refused for empty tensors too.
    new StridedMap(function, types, result.type(), 1, 1);
    if (result.elements() == 0) return;
    var repeated = inputs.stream().map(x -> repeated(x.form(), result.form()));
    var shapes = Shape.merged(Stream.concat(repeated, Stream.of(result.form())).toList());
    var names = Stream.concat(function.map(Pointwise::inputs).orElse(List.of("X")).stream(), Stream.of("Y")).toList();
    var call = new Call(ops, "map");
    for (int i = 0; i < inputs.size(); i++) call.with(names.get(i), inputs.get(i), shapes.get(i));
    call.with("Y", result, shapes.getLast());
    call.run(function, () -> Plan.of(StridedMap.prepare(function, types, result.type(),
        names.stream().map(call::argument).toList())));
  }

  /** Strides of 0 where a mode is missing or repeated. */
  private static Shape repeated(Shape shape, Shape to) {
    var strides = new ArrayList<Long>();
    for (int mode = 0; mode < to.rank(); mode++) {
      int own = mode - to.rank() + shape.rank();
      strides.add(own < 0 || shape.extent(own) != to.extent(mode) ? 0L : shape.stride(own));
    }
    return new Shape(to.extents(), strides);
  }

  DeviceTensor convert(DeviceTensor x, ElementType type) {
    ops.requireOwn(x);
    var result = ops.empty(type, x.shape());
    return ops.computed(result, () -> run(Optional.empty(), List.of(x), result));
  }
}
