package tilewright.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Matrix;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.Pointwise;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.kernels.gemm.Fp32Gemm;
import tilewright.kernels.library.GemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;

/** D = f(alpha · A·B + beta · C + bias) by the first kernel that computes it, the last one without tensor cores. */
final class Products {
  private final Ops ops;
  private final List<GemmKernel> kernels;

  Products(Ops ops, Machine machine, KernelRegistry registry) {
    this.ops = ops;
    kernels = registry.kernels().stream().filter(GemmKernel.class::isInstance).map(GemmKernel.class::cast)
        .filter(kernel -> kernel.hasEpilogues() && machine.preference(kernel.target()) >= 0)
        .sorted(Comparator.comparing((GemmKernel kernel) -> -machine.preference(kernel.target()))).toList();
  }

  /**
   * Multiplies (M,K) or (L,M,K) by (K,N) or (L,K,N); an operand without L, or with L = 1, is every entry's.
   */
  DeviceTensor multiply(DeviceTensor a, DeviceTensor b, GemmOptions options) {
    ops.requireOwn(a);
    ops.requireOwn(b);
    if (a.rank() < 2 || a.rank() > 3 || b.rank() < 2 || b.rank() > 3 || a.size(-1) != b.size(-2)) {
      throw new IllegalArgumentException("cannot multiply " + a + " by " + b
          + ": needed are (M,K) or (L,M,K), and (K,N) or (L,K,N)");
    }
    long batchA = a.rank() == 3 ? a.size(0) : 1;
    long batchB = b.rank() == 3 ? b.size(0) : 1;
    if (batchA != batchB && batchA != 1 && batchB != 1) {
      throw new IllegalArgumentException("cannot multiply " + a + " by " + b + ": " + batchA + " and " + batchB
          + " entries");
    }
    long batch = batchA == 1 ? batchB : batchA;
    long[] shape = a.rank() == 2 && b.rank() == 2 ? new long[] {a.size(0), b.size(1)}
        : new long[] {batch, a.size(-2), b.size(-1)};
    var type = options.output().orElseGet(() -> GemmTypes.usualOutput(b.type()));
    options.into().ifPresent(into -> requireShape("the result", into, shape));
    options.c().ifPresent(c -> requireShape("C", c, shape));
    options.bias().ifPresent(bias -> requireShape("the bias", bias, b.size(-1)));
    var result = options.into().orElseGet(() -> ops.empty(type, shape));
    ops.memory().requireWritable(result);
    if (result.elements() == 0) return result;
    if (options.into().isPresent()) {
      compute(a, b, result, options);
      return result;
    }
    return ops.computed(result, () -> compute(a, b, result, options));
  }

  private void compute(DeviceTensor a, DeviceTensor b, DeviceTensor result, GemmOptions options) {
    long batch = result.rank() == 3 ? result.size(0) : 1;
    boolean shared = b.rank() == 2 || b.size(0) == 1;
    try (var left = Held.distinct(a); var right = Held.distinct(b)) {
      // One B for all entries: their rows are rows of one matrix, where strides can say so.
      boolean folded = batch > 1 && shared && left.tensor().form().reshaped(List.of(batch * a.size(1), a.size(2)))
          .isPresent() && options.c().isEmpty()
          && result.form().reshaped(List.of(batch * a.size(1), b.size(-1))).isPresent();
      if (folded) {
        run(left.tensor().reshape(1, batch * a.size(1), a.size(2)), three(right.tensor()),
            result.reshape(1, batch * a.size(1), b.size(-1)), options);
      } else {
        run(entries(left.tensor(), batch), entries(right.tensor(), batch), three(result), options);
      }
    }
  }

  private static void requireShape(String what, DeviceTensor tensor, long... shape) {
    if (Arrays.equals(tensor.shape(), shape)) return;
    throw new IllegalArgumentException(what + " is " + tensor + "; needed is "
        + Shape.text(Arrays.stream(shape).boxed().toList()));
  }

  private static DeviceTensor three(DeviceTensor tensor) {
    return tensor.rank() == 3 ? tensor : tensor.unsqueeze(0);
  }

  private static DeviceTensor entries(DeviceTensor tensor, long batch) {
    var three = three(tensor);
    return three.size(0) == batch ? three : three.expand(0, batch);
  }

  /** All tensors (L,M,K), (L,K,N) and (L,M,N). */
  private void run(DeviceTensor a, DeviceTensor b, DeviceTensor d, GemmOptions options) {
    var call = new Call(ops, "gemm").with("A", a).with("B", b).with("C", d);
    options.c().ifPresent(c -> call.with("R", three(c)));
    options.bias().ifPresent(bias -> call.with("bias", bias));
    var types = new GemmTypes(a.type(), b.type(), d.type(), Accumulation.FAST).summedIn(options.accumulator());
    var fixed = new Fixed(types, options.alpha(), options.c().isEmpty() ? 0 : options.beta(),
        options.c().map(DeviceTensor::type), options.bias().map(DeviceTensor::type), options.activation());
    call.run(fixed, () -> prepare(call, fixed));
  }

  /** All that a plan depends on beside the tensors. */
  private record Fixed(GemmTypes types, float alpha, float beta, Optional<ElementType> c, Optional<ElementType> bias,
      Optional<Pointwise> activation) {

    /** alpha · product + beta · R + bias, the function, one rounding. */
    Epilogue tree() {
      var tree = alpha == 1 ? Epilogue.accumulator() : Epilogue.accumulator().times(Epilogue.scalar("alpha"));
      if (c.isPresent()) tree = tree.plus(Epilogue.source("R", c.get()).times(Epilogue.scalar("beta")));
      if (bias.isPresent()) tree = tree.plus(Epilogue.columnBias("bias", bias.get()));
      if (activation.isPresent()) tree = tree.apply(activation.get());
      return tree.convert(types.output());
    }

    Map<String, Float> scalars() {
      var scalars = new HashMap<String, Float>();
      if (alpha != 1) scalars.put("alpha", alpha);
      if (c.isPresent()) scalars.put("beta", beta);
      return scalars;
    }
  }

  private Plan prepare(Call call, Fixed fixed) {
    var a = call.argument("A");
    var d = call.argument("C");
    var problem = new GemmProblem(fixed.types, extent(d, 1), extent(d, 2), extent(a, 2), extent(d, 0),
        matrix(a, 1, 2), matrix(call.argument("B"), 2, 1), matrix(d, 1, 2), 1, 0);
    var tensors = new HashMap<String, LaunchArguments.Tensor>();
    if (fixed.c.isPresent()) {
      tensors.put("R", matrix(call.argument("R"), 1, 2).argument(problem.m(), problem.n(), problem.batch()));
    }
    if (fixed.bias.isPresent()) {
      var bias = call.argument("bias");
      tensors.put("bias", new LaunchArguments.Tensor("bias", bias.offset(),
          List.of((long) problem.n(), (long) problem.batch()), List.of(bias.strides().getFirst(), 0L)));
    }
    return Plan.of(choose(problem, new EpilogueArguments(fixed.tree(), tensors, fixed.scalars())));
  }

  private PreparedLaunch choose(GemmProblem problem, EpilogueArguments epilogue) {
    var reasons = new ArrayList<String>();
    for (var kernel : kernels) {
      var reason = kernel.refusal(problem);
      if (reason.isEmpty()) {
        try {
          return kernel.prepare(problem, epilogue);
        } catch (IllegalArgumentException e) {
          // Some learn only from the tensors that they cannot compute them.
          reason = Optional.of(e.getMessage());
        }
      }
      reasons.add(kernel.name() + ": " + reason.get());
    }
    try {
      return Fp32Gemm.prepare(problem, epilogue);
    } catch (IllegalArgumentException e) {
      reasons.add("fp32_gemm: " + e.getMessage());
    }
    throw new IllegalArgumentException("no kernel computes this product of " + problem.types() + ": "
        + String.join("; ", reasons));
  }

  private static int extent(LaunchArguments.Tensor tensor, int mode) {
    return Math.toIntExact(tensor.extents().get(mode));
  }

  /** A mode of extent 1 may have any stride: one that keeps the others' vectors aligned. */
  private static Matrix matrix(LaunchArguments.Tensor tensor, int rows, int columns) {
    long row = tensor.strides().get(rows);
    long column = tensor.strides().get(columns);
    long high = tensor.extents().get(rows);
    long wide = tensor.extents().get(columns);
    if (wide == 1 && row != 1) column = 1;
    else if (wide == 1) column = up(high);
    if (high == 1 && column != 1) row = 1;
    else if (high == 1) row = up(wide);
    long entry = tensor.extents().getFirst() == 1 ? up(Math.max(high * row, wide * column))
        : tensor.strides().getFirst();
    return new Matrix(tensor.buffer(), tensor.offset(), row, column, entry);
  }

  private static long up(long elements) {
    return Math.ceilDiv(Math.max(1, elements), 16) * 16;
  }
}
