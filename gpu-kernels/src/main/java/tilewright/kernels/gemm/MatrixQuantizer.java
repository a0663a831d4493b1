package tilewright.kernels.gemm;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernels.E4m3Scale;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Quantises an operand "X" (M,K) of a GEMM to e4m3 codes "Y" and FP32 factors "Factor", one for each row, or one for
 * all. Element ≈ code · factor, as {@link BlockQuantizer} has it. One factor for all takes two launches: CTAs leave the
 * maxima of their rows in "Maxima", and each CTA of the second reads these.
 *
 * @param source f32, f16 or bf16
 * @param vector elements of an access to X and Y: 16 bytes of X where both are aligned, else 1
 */
public record MatrixQuantizer(ElementType source, Step step, int vector) implements Kernel {
  private static final int THREADS = 256;
  private static final int ACCESS_BYTES = 16;
  /** Elements that a thread takes at a time. */
  private static final int RUN = 8;
  /** CTAs that share a matrix's rows, so that few maxima are read by all of them. */
  private static final int MOST_BLOCKS = 1024;

  /** A launch. */
  public enum Step {
    /** Finds each row's factor, and quantises the row. */
    ROWS,
    /** Finds each CTA's maximum. */
    MAXIMA,
    /** Finds the factor of all, and quantises. */
    TENSOR
  }

  public MatrixQuantizer {
    E4m3Scale.requireSource(source);
  }

  /** The elements of an access where K and all strides are multiples of them. */
  public static int vector(ElementType source) {
    return ACCESS_BYTES / source.bytes();
  }

  /**
   * Prepares the launch with a factor for each row, on buffers of the tensors' names.
   *
   * @param x (M,K), K contiguous
   * @param y of the same shape, K contiguous
   * @param factor (M)
   */
  public static LaunchSequence rows(ElementType source, LaunchArguments.Tensor x, LaunchArguments.Tensor y,
      LaunchArguments.Tensor factor) {
    return LaunchSequence.of(launch(source, Step.ROWS, Math.toIntExact(x.extents().getFirst()), x, y,
        arguments -> arguments.tensor("Y", y).tensor("Factor", factor)));
  }

  /**
   * Prepares the launches with one factor, on buffers of the tensors' names.
   *
   * @param x (M,K), K contiguous
   * @param y of the same shape, K contiguous
   * @param factor (1)
   */
  public static LaunchSequence tensor(ElementType source, LaunchArguments.Tensor x, LaunchArguments.Tensor y,
      LaunchArguments.Tensor factor) {
    int blocks = Math.toIntExact(Math.min(MOST_BLOCKS, x.extents().getFirst()));
    var maxima = new PreparedLaunch.Scratch("Maxima", ElementType.F32, Layout.of(blocks, 1));
    return new LaunchSequence(List.of(
        launch(source, Step.MAXIMA, blocks, x, y, arguments -> arguments.tensor("Maxima", maxima.tensor())),
        launch(source, Step.TENSOR, blocks, x, y, arguments -> arguments.tensor("Y", y).tensor("Factor", factor)
            .tensor("Maxima", maxima.tensor()))), List.of(maxima));
  }

  private static PreparedLaunch launch(ElementType source, Step step, int blocks, LaunchArguments.Tensor x,
      LaunchArguments.Tensor y, Consumer<LaunchArguments> others) {
    int run = vector(source);
    boolean wide = x.extents().get(1) % run == 0 && aligned(x, run, source.bytes()) && aligned(y, run, 1);
    var kernel = CompiledKernel.compile(new MatrixQuantizer(source, step, wide ? run : 1), Target.SM89);
    var arguments = LaunchArguments.of(kernel).tensor("X", x);
    others.accept(arguments);
    return new PreparedLaunch(kernel, Dim3.of(blocks), arguments.build());
  }

  private static boolean aligned(LaunchArguments.Tensor tensor, int run, int bytes) {
    return tensor.offset() % ((long) run * bytes) == 0 && tensor.strides().getFirst() % run == 0;
  }

  @Override
  public String name() {
    return "quantize_" + step.name().toLowerCase(Locale.ROOT) + "_" + source.text() + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS);
    var x = k.global(spec("X", source));
    var group = new ThreadGroup(k, thread, THREADS, THREADS);
    switch (step) {
      case ROWS -> {
        var y = k.global(spec("Y", E4m3Scale.CODE));
        var factors = k.global(TensorSpec.of("Factor", ElementType.F32, "M"));
        var largest = k.accumulator();
        maximum(k, thread, x, k.blockX(), largest);
        var scale = new E4m3Scale(k, group.max(largest.value()));
        k.when(thread.equalTo(0), () -> factors.at(k.blockX()).store(scale.factor()));
        quantize(k, thread, x, y, k.blockX(), scale.inverse());
      }
      case MAXIMA -> {
        var maxima = k.global(TensorSpec.of("Maxima", ElementType.F32, "P"));
        var largest = k.accumulator();
        k.loop(k.blockX(), x.extent(0), k.gridX(), row -> maximum(k, thread, x, row, largest));
        var ofBlock = group.max(largest.value());
        k.when(thread.equalTo(0), () -> maxima.at(k.blockX()).store(ofBlock));
      }
      case TENSOR -> {
        var y = k.global(spec("Y", E4m3Scale.CODE));
        var factors = k.global(TensorSpec.of("Factor", ElementType.F32, "one"));
        var maxima = k.global(TensorSpec.of("Maxima", ElementType.F32, "P"));
        var largest = k.accumulator();
        k.loop(thread, maxima.extent(0), THREADS, part ->
            largest.set(largest.value().max(maxima.at(part).load())));
        var scale = new E4m3Scale(k, group.max(largest.value()));
        k.when(thread.plus(k.blockX()).equalTo(0), () -> factors.at(k.constant(0)).store(scale.factor()));
        var inverse = scale.inverse();
        k.loop(k.blockX(), x.extent(0), k.gridX(), row -> quantize(k, thread, x, y, row, inverse));
      }
    }
  }

  /** Raises the largest magnitude by a thread's part of a row. */
  private void maximum(Scope k, I32 thread, GlobalTensor x, I32 row, F32.Accumulator largest) {
    forEachRun(k, thread, x, column -> {
      for (var value : load(k, x, row, column)) {
        largest.set(largest.value().max(E4m3Scale.magnitude(k, value)));
      }
    });
  }

  private void quantize(Scope k, I32 thread, GlobalTensor x, GlobalTensor y, I32 row, F32 inverse) {
    forEachRun(k, thread, x, column -> {
      var codes = E4m3Scale.codes(k, load(k, x, row, column), inverse);
      for (int i = 0; i < codes.size(); i += vector) {
        var to = y.at(row, column.plus(i));
        var part = codes.subList(i, i + vector);
        k.when(to.inside(), () -> to.store(part));
      }
    });
  }

  /** Walks through a row with all threads, each with {@link #RUN} neighbours at a time. */
  private static void forEachRun(Scope k, I32 thread, GlobalTensor x, Consumer<I32> body) {
    k.loop(thread.times(RUN), x.extent(1), THREADS * RUN, body);
  }

  private List<F32> load(Scope k, GlobalTensor x, I32 row, I32 column) {
    return IntStream.range(0, RUN / vector).boxed().flatMap(i -> {
      var from = x.at(row, column.plus(i * vector));
      return from.vectorOrZeros(vector, from.inside()).values().stream();
    }).toList();
  }

  private TensorSpec spec(String name, ElementType type) {
    var spec = TensorSpec.of(name, type, "M", "K").contiguous("K");
    return vector == 1 ? spec : spec.aligned(vector).multipleOf("K", vector);
  }
}
