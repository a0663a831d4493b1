package tilewright.kernels.epilogue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue.Operation;
import tilewright.numerics.ElementType;
import tilewright.numerics.Rounding;
import tilewright.reference.Expected;
import tilewright.reference.HeadQuantizer;
import tilewright.reference.Rotation;

/**
 * An epilogue on the CPU: in FP64 without rounding to the types of the tree, and in FP32 in the order of the tree.
 *
 * @param tensors what the tree reads, the first mode fastest: matrices (M,N,L), vectors (M,L), (N,L) or (L)
 * @param scalars by name
 * @param entries the matrix B that made each element: its vector of columns, and its factor
 */
public record EpilogueReference(Epilogue tree, int m, int n, int batch, Map<String, double[]> tensors,
    Map<String, Float> scalars, IntUnaryOperator entries) {
  private static final Set<Pointwise> EXACT = Set.of(Pointwise.RELU, Pointwise.HARDSHRINK);

  /** The expected D, auxiliary outputs and reductions, from both kinds of accumulators (M,N,L). */
  public List<Expected> of(String d, double[] exactly, double[] stepwise) {
    return of(d, List.of(exactly), List.of(stepwise));
  }

  /** The expected outputs from the accumulators of several products. */
  public List<Expected> of(String d, List<double[]> exactly, List<double[]> stepwise) {
    var exact = new Run(false, exactly);
    var rounded = new Run(true, stepwise);
    if (tree instanceof Epilogue.Quantized(var factors, var x)) return quantized(d, factors, x, exact, rounded);
    var body = tree instanceof Epilogue.Converted(var type, boolean saturating, var x) && !saturating ? x : tree;
    var exactD = exact.output(d);
    var roundedD = rounded.output(d);
    for (int i = 0; i < exactly.getFirst().length; i++) {
      exactD[i] = exact.of(tree, i);
      roundedD[i] = tree.output().round(rounded.of(body, i));
    }
    return expected(d, exact, rounded);
  }

  private List<Expected> expected(String d, Run exact, Run rounded) {
    var all = new ArrayList<Expected>();
    exact.outputs.forEach((name, values) ->
        all.add(new Expected(name, values, rounded.outputs.get(name), hasBits(name, d))));
    return all;
  }

  /** Codes and factors, by {@link HeadQuantizer} of a row's blocks. */
  private List<Expected> quantized(String d, String factors, Epilogue x, Run exact, Run rounded) {
    var quantizer = new HeadQuantizer(ElementType.E4M3, Rotation.NONE, false);
    int blocks = Math.ceilDiv(n, Epilogue.BLOCK);
    for (var run : List.of(exact, rounded)) run.outputs.put(factors, new double[m * blocks * batch]);
    for (int block = 0; block < m * blocks * batch; block++) {
      int row = block % m;
      int from = block / m % blocks * Epilogue.BLOCK;
      int length = Math.min(Epilogue.BLOCK, n - from);
      int first = row + m * (from + n * (block / m / blocks));
      var values = new double[length];
      var stepwise = new float[length];
      for (int i = 0; i < length; i++) {
        values[i] = exact.of(x, first + m * i);
        stepwise[i] = (float) rounded.of(x, first + m * i);
      }
      double largest = Arrays.stream(values).map(Math::abs).filter(Double::isFinite).max().orElse(0);
      double factor = largest < HeadQuantizer.LEAST ? 1 : largest / HeadQuantizer.limit(ElementType.E4M3);
      float found = HeadQuantizer.largest(new float[][] {stepwise}, 0, 1);
      var codes = new double[length];
      quantizer.round(stepwise, quantizer.inverse(found), codes);
      exact.outputs.get(factors)[block] = factor;
      rounded.outputs.get(factors)[block] = quantizer.factor(found, length);
      for (int i = 0; i < length; i++) {
        exact.output(d)[first + m * i] = values[i] / factor;
        rounded.output(d)[first + m * i] = codes[i];
      }
    }
    return expected(d, exact, rounded);
  }

  /** Whether the steps of an output are known to the bit: no approximate functions, no sums in whatever order. */
  private boolean hasBits(String name, String d) {
    boolean root = name.equals(d) || tree instanceof Epilogue.Quantized(var factors, _) && name.equals(factors);
    var sources = root ? List.of(tree) : Stream.<Epilogue>concat(
        tree.nodes(Epilogue.Stored.class).stream().filter(s -> s.name().equals(name)),
        tree.nodes(Epilogue.Reduced.class).stream().filter(r -> r.name().equals(name))).toList();
    return sources.stream().noneMatch(source -> source instanceof Epilogue.Reduced r && r.reduction() == Reduction.SUM
        || source.nodes(Epilogue.Applied.class).stream().anyMatch(a -> !EXACT.contains(a.function())));
  }

  /** The tree on all elements in one kind of arithmetic. */
  private final class Run {
    private final boolean single;
    private final List<double[]> accumulators;
    private final Map<String, double[]> outputs = new LinkedHashMap<>();
    private final Map<Epilogue, Double> known = new HashMap<>();
    private int element;

    Run(boolean single, List<double[]> accumulators) {
      this.single = single;
      this.accumulators = accumulators;
      for (var reduced : tree.nodes(Epilogue.Reduced.class)) {
        int results = switch (reduced.along()) {
          case ROWS -> m * batch;
          case COLUMNS -> n * batch;
          case ALL -> 1;
        };
        var values = new double[results];
        Arrays.fill(values, reduced.reduction().identity());
        outputs.put(reduced.name(), values);
      }
    }

    double[] output(String name) {
      return outputs.computeIfAbsent(name, _ -> new double[accumulators.getFirst().length]);
    }

    double of(Epilogue node, int index) {
      known.clear();
      element = index;
      return of(node);
    }

    private double of(Epilogue node) {
      // A node that occurs twice is stored, or reduced, once.
      var value = known.get(node);
      if (value == null) {
        value = evaluate(node);
        known.put(node, value);
      }
      return value;
    }

    private double evaluate(Epilogue node) {
      return switch (node) {
        case Epilogue.Accumulator(int product) -> accumulators.get(product)[element];
        case Epilogue.Constant(float value) -> value;
        case Epilogue.Scalar(var name) -> scalars.get(name);
        case Epilogue.Source(var name, _) -> tensors.get(name)[element];
        case Epilogue.PerRow(var name, _) -> tensors.get(name)[row()];
        case Epilogue.PerColumn(var name, _) -> tensors.get(name)[column(entries.applyAsInt(element))];
        case Epilogue.PerBatch(var name) -> tensors.get(name)[entries.applyAsInt(element)];
        case Epilogue.Combined(var operation, var left, var right) -> combine(operation, left, right);
        case Epilogue.Applied(var f, var x) ->
            single ? f.reference().single((float) of(x)) : f.reference().exact(of(x));
        case Epilogue.Converted(var type, boolean saturating, var x) -> converted(of(x), type, saturating);
        case Epilogue.Stored(var name, var type, var x) -> {
          output(name)[element] = single ? type.round(of(x)) : of(x);
          yield of(x);
        }
        case Epilogue.Reduced reduced -> {
          reduce(reduced, of(reduced.x()));
          yield of(reduced.x());
        }
        case Epilogue.Quantized quantized -> throw new IllegalArgumentException(quantized + " is no root");
      };
    }

    private int row() {
      return element % m + m * (element / (m * n));
    }

    private int column(int entry) {
      return element / m % n + n * entry;
    }

    private double combine(Operation operation, Epilogue left, Epilogue right) {
      if (single && operation == Operation.PLUS) {
        if (right instanceof Epilogue.Combined(var inner, var x, var y) && inner == Operation.TIMES) {
          return Math.fma((float) of(x), (float) of(y), (float) of(left));
        }
        if (left instanceof Epilogue.Combined(var inner, var x, var y) && inner == Operation.TIMES) {
          return Math.fma((float) of(x), (float) of(y), (float) of(right));
        }
      }
      double a = of(left);
      double b = of(right);
      double result = switch (operation) {
        case PLUS -> a + b;
        case TIMES -> a * b;
        case MAX -> Math.max(a, b);
        case MIN -> Math.min(a, b);
      };
      return single ? (float) result : result;
    }

    private double converted(double x, ElementType type, boolean saturating) {
      double largest = type.toDouble(type.fromDouble(Double.MAX_VALUE, Rounding.TOWARD_ZERO));
      double lowest = type.toDouble(type.fromDouble(-Double.MAX_VALUE, Rounding.TOWARD_ZERO));
      double bounded = saturating && !Double.isNaN(x) ? Math.clamp(x, lowest, largest) : x;
      return single ? type.round(bounded) : bounded;
    }

    private void reduce(Epilogue.Reduced node, double value) {
      var results = outputs.get(node.name());
      int place = switch (node.along()) {
        case ROWS -> row();
        case COLUMNS -> column(element / (m * n));
        case ALL -> 0;
      };
      double x = node.reduction() == Reduction.AMAX ? Math.abs(value) : value;
      double combined = node.reduction() == Reduction.SUM ? results[place] + x : Math.max(results[place], x);
      results[place] = single ? (float) combined : combined;
    }
  }
}
