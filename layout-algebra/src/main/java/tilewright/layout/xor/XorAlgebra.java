package tilewright.layout.xor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.LongUnaryOperator;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.decision.ByModeCertificate;
import tilewright.layout.decision.Decision;
import tilewright.layout.decision.TableCertificate;
import tilewright.layout.decision.Witness;
import tilewright.layout.f2.F2Matrix;
import tilewright.layout.tuple.Coordinates;
import tilewright.layout.tuple.IntTuple;

/** Operations on XOR layouts as matrices over F2. */
final class XorAlgebra {
  private XorAlgebra() {}

  static XorLayout of(IntTuple shape, F2Matrix matrix) {
    if (shape.leaves().anyMatch(e -> e < 1 || Long.bitCount(e) != 1)
        || shape.leaves().map(Long::numberOfTrailingZeros).sum() != matrix.columns().size()) {
      throw new IllegalArgumentException("shape " + shape + " does not hold the inputs of a matrix of "
          + matrix.columns().size() + " columns: its extents are powers of two, together 2^" + matrix.columns().size());
    }
    return modes(shape, matrix.columns().iterator());
  }

  private static XorLayout modes(IntTuple shape, Iterator<Long> columns) {
    if (shape instanceof IntTuple.Leaf leaf) {
      var strides = new ArrayList<IntTuple>();
      for (long t = 1; t < leaf.value(); t *= 2) strides.add(IntTuple.of(columns.next()));
      var twos = strides.stream().map(_ -> IntTuple.of(2)).toList();
      return new XorLayout(IntTuple.of(twos), IntTuple.of(strides)).coalesce();
    }
    var modes = shape.modes().stream().map(mode -> modes(mode, columns)).toList();
    return new XorLayout(IntTuple.of(modes.stream().map(XorLayout::shape).toList()),
        IntTuple.of(modes.stream().map(XorLayout::stride).toList()));
  }

  static Decision<F2Matrix> matrix(XorLayout layout) {
    long[] extents = layout.shape().flatten();
    long[] strides = layout.stride().flatten();
    var columns = new ArrayList<Long>();
    for (int k = 0; k < extents.length; k++) {
      if (extents[k] < 1 || Long.bitCount(extents[k]) != 1) {
        return new Decision.Undefined<>("matrix of " + layout, "every extent is a power of two", OptionalInt.of(k),
            "got " + extents[k], Optional.empty());
      }
      for (long t = 1; t < extents[k]; t *= 2) columns.add(XorLayout.carrylessProduct(t, strides[k]));
    }
    var matrix = F2Matrix.of(columns);
    return defined(matrix, "matrix · i = layout(i)", layout.size(), matrix::apply, layout::apply);
  }

  static Decision<List<List<Long>>> bases(XorLayout layout) {
    return switch (matrix(layout)) {
      case Decision.Undefined<F2Matrix> undefined -> undefined.as("bases of " + layout);
      case Decision.Defined<F2Matrix>(var matrix, var certificate) -> {
        var bases = new ArrayList<List<Long>>();
        int from = 0;
        for (var mode : layout.shape().modes()) {
          int to = from + Long.numberOfTrailingZeros(mode.size());
          bases.add(matrix.columns().subList(from, to));
          from = to;
        }
        yield new Decision.Defined<>(bases, certificate);
      }
    };
  }

  static Decision<List<List<IntTuple>>> bases(XorLayout layout, IntTuple outputs) {
    var operation = "bases of " + layout + " in " + outputs;
    var packed = packing(outputs);
    return switch (bases(layout)) {
      case Decision.Undefined<List<List<Long>>> undefined -> undefined.as(operation);
      case Decision.Defined<List<List<Long>>>(var bases, _)
          when bases.stream().flatMap(List::stream).anyMatch(offset -> offset >= outputs.size()) ->
          Decision.Undefined.of(operation, "offsets are below " + outputs.size(), "the bases are " + bases);
      case Decision.Defined<List<List<Long>>>(var bases, var certificate) -> new Decision.Defined<>(
          bases.stream().map(mode -> mode.stream().map(packed::coordinate).toList()).toList(), certificate);
    };
  }

  static XorLayout ofBases(List<List<IntTuple>> bases, IntTuple outputs) {
    var packed = packing(outputs);
    return XorLayout.ofBases(bases.stream().map(mode -> mode.stream().map(c -> packed(c, packed)).toList()).toList());
  }

  private static long packed(IntTuple coordinate, Layout packing) {
    long offset = packing.apply(coordinate);
    if (offset < packing.size() && packing.coordinate(offset).equals(coordinate)) return offset;
    throw new IllegalArgumentException("basis " + coordinate + " is no coordinate of outputs " + packing.shape());
  }

  private static Layout packing(IntTuple outputs) {
    if (outputs.leaves().anyMatch(e -> e < 1 || Long.bitCount(e) != 1)) {
      throw new IllegalArgumentException("outputs " + outputs + " have no bits of their own: write powers of two");
    }
    return Layout.columnMajor(outputs);
  }

  static Decision<XorLayout> composition(XorLayout outer, XorLayout inner) {
    var operation = outer + " ∘ " + inner;
    if (!(matrix(outer) instanceof Decision.Defined<F2Matrix>(var outerMatrix, _))) {
      return notPowersOfTwo(operation, outer);
    }
    if (!(matrix(inner) instanceof Decision.Defined<F2Matrix>(var innerMatrix, _))) {
      return notPowersOfTwo(operation, inner);
    }
    if (innerMatrix.rows() > outerMatrix.columns().size()) {
      return Decision.Undefined.of(operation, "the right operand's offsets are indices of the left one",
          "they have " + innerMatrix.rows() + " bits and " + outer + " has " + outer.size() + " elements");
    }
    var result = of(inner.shape(), outerMatrix.times(innerMatrix));
    return defined(result, "R(i) = outer(inner(i))", inner.size(), result::apply, i -> outer.apply(inner.apply(i)));
  }

  static Decision<XorLayout> rightInverse(XorLayout layout) {
    var operation = "right inverse of " + layout;
    if (!(matrix(layout) instanceof Decision.Defined<F2Matrix>(var matrix, _))) {
      return notPowersOfTwo(operation, layout);
    }
    var inverse = prefixInverse(matrix);
    var result = of(IntTuple.of(1L << inverse.columns().size()), inverse);
    return defined(result, "layout(R(i)) = i", result.size(), i -> layout.apply(result.apply(i)), i -> i);
  }

  /** Where both agree is a subspace; the longest right inverse of either restricted to it. */
  static Decision<XorLayout> maxCommon(XorLayout first, XorLayout second) {
    var operation = "common layout of " + first + " and " + second;
    if (!(matrix(first) instanceof Decision.Defined<F2Matrix>(var one, _))) return notPowersOfTwo(operation, first);
    if (!(matrix(second) instanceof Decision.Defined<F2Matrix>(var two, _))) return notPowersOfTwo(operation, second);
    var differences = new ArrayList<Long>();
    for (int bit = 0; bit < Math.min(one.columns().size(), two.columns().size()); bit++) {
      differences.add(one.columns().get(bit) ^ two.columns().get(bit));
    }
    var agreeing = F2Matrix.of(F2Matrix.of(differences).kernel());
    var values = F2Matrix.of(agreeing.columns().stream().map(one::apply).toList());
    var indices = prefixInverse(values).columns().stream().map(agreeing::apply).toList();
    var result = of(IntTuple.of(1L << indices.size()), F2Matrix.of(indices));
    var certificate = new ByModeCertificate(List.of(
        new TableCertificate("first(R(i)) = i", result.size(), i -> first.apply(result.apply(i)), i -> i),
        new TableCertificate("second(R(i)) = i", result.size(), i -> second.apply(result.apply(i)), i -> i)));
    return new Decision.Defined<>(result, certificate);
  }

  /** Inputs of the outputs 1, 2, 4, … as far as they go. */
  private static F2Matrix prefixInverse(F2Matrix matrix) {
    var inputs = new ArrayList<Long>();
    for (var input = matrix.solve(1); input.isPresent(); input = matrix.solve(1L << inputs.size())) {
      inputs.add(input.getAsLong());
    }
    return new F2Matrix(matrix.columns().size(), inputs);
  }

  static Decision<XorLayout> leftInverse(XorLayout layout) {
    var operation = "left inverse of " + layout;
    if (!(matrix(layout) instanceof Decision.Defined<F2Matrix>(var matrix, _))) {
      return notPowersOfTwo(operation, layout);
    }
    var kernel = matrix.kernel();
    if (!kernel.isEmpty()) {
      long index = kernel.getFirst();
      return new Decision.Undefined<>(operation, "the layout is injective", OptionalInt.empty(),
          "indices 0 and " + index + " have offset 0",
          Optional.of(new Witness(Coordinates.of(index, layout.shape()), index, index, 0)));
    }
    var result = of(IntTuple.of(1L << matrix.rows()), matrix.pseudoInverse());
    return defined(result, "L(layout(i)) = i", layout.size(), i -> result.apply(layout.apply(i)), i -> i);
  }

  static Decision<Layout> layout(XorLayout layout) {
    var operation = layout + " with integer strides";
    if (!(matrix(layout) instanceof Decision.Defined<F2Matrix>(var matrix, _))) {
      return notPowersOfTwo(operation, layout);
    }
    return switch (new AffineBits(layout.shape(), 0, matrix.columns()).layout(operation)) {
      case Decision.Undefined<ComposedLayout> undefined -> undefined.as(operation);
      case Decision.Defined<ComposedLayout>(var plain, var certificate) ->
          new Decision.Defined<>(plain.layout(), certificate);
    };
  }

  static Decision<ComposedLayout> swizzled(XorLayout layout) {
    var operation = layout + " as a swizzle of integer strides";
    if (!(matrix(layout) instanceof Decision.Defined<F2Matrix>(var matrix, _))) {
      return notPowersOfTwo(operation, layout);
    }
    var found = SwizzledSynthesis.fewestBits(matrix.rows(), layout.size(), swizzle -> {
      var unswizzled = new AffineBits(layout.shape(), 0, matrix.columns().stream().map(swizzle::apply).toList());
      return unswizzled.layout(operation) instanceof Decision.Defined<ComposedLayout>(var plain, _)
          ? Optional.of(new ComposedLayout(swizzle, 0, plain.layout()))
          : Optional.empty();
    });
    if (found.isEmpty()) {
      return Decision.Undefined.of(operation, "some swizzle leaves index bits that change disjoint bits",
          "none does of those whose fields end below bit 62");
    }
    var result = found.get();
    return defined(result, "swizzled(i) = layout(i)", layout.size(), result::apply, layout::apply);
  }

  private static <T> Decision<T> notPowersOfTwo(String operation, XorLayout layout) {
    return Decision.Undefined.of(operation, "every extent is a power of two", "got " + layout.shape());
  }

  private static <T> Decision<T> defined(T result, String equation, long size, LongUnaryOperator given,
      LongUnaryOperator demanded) {
    return new Decision.Defined<>(result, new TableCertificate(equation, size, given, demanded));
  }
}
