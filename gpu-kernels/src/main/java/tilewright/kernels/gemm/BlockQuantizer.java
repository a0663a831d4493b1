package tilewright.kernels.gemm;

import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.Warp;
import tilewright.kernel.collective.ThreadGroup;
import tilewright.kernels.E4m3Scale;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;

/**
 * Quantises an operand "X" (M,K) of a GEMM to e4m3 codes "Y" and FP32 factors "Factor", one for each 128 of k in a row,
 * or in 128 rows (DeepSeek-V3, section 3.3.2). Element ≈ code · factor. A factor is its block's largest finite
 * magnitude over 448, or 1 where that is below 2⁻¹⁰⁰; NaN and infinities become NaN.
 *
 * @param source f32, f16 or bf16
 * @param square whether 128 rows share a factor
 * @param vector elements of an access to X and Y: 4 where both are aligned, else 1
 */
public record BlockQuantizer(ElementType source, boolean square, int vector) implements Kernel {
  /** Columns, and rows of a square, that share a factor. */
  public static final int BLOCK = 128;
  private static final int WARPS = 4;
  /** Elements of a lane in a row: 32 lanes have a block's columns. */
  private static final int RUN = BLOCK / Warp.SIZE;

  public BlockQuantizer {
    E4m3Scale.requireSource(source);
  }

  /**
   * Prepares the launch on buffers of the tensors' names.
   *
   * @param x (M,K), K contiguous
   * @param y of the same shape, K contiguous
   * @param factor (M,⌈K/128⌉) or (⌈M/128⌉,⌈K/128⌉), any strides
   */
  public static PreparedLaunch prepare(ElementType source, boolean square, LaunchArguments.Tensor x,
      LaunchArguments.Tensor y, LaunchArguments.Tensor factor) {
    boolean wide = x.extents().get(1) % RUN == 0 && aligned(x, source.bytes()) && aligned(y, E4m3Scale.CODE.bytes());
    var kernel = CompiledKernel.compile(new BlockQuantizer(source, square, wide ? RUN : 1), Target.SM89);
    var arguments = LaunchArguments.of(kernel).tensor("X", x).tensor("Y", y).tensor("Factor", factor);
    var grid = Dim3.of(Math.toIntExact(Math.ceilDiv(x.extents().get(0), square ? BLOCK : WARPS)),
        Math.toIntExact(Math.ceilDiv(x.extents().get(1), BLOCK)));
    return new PreparedLaunch(kernel, grid, arguments.build());
  }

  private static boolean aligned(LaunchArguments.Tensor tensor, int bytes) {
    return tensor.offset() % ((long) RUN * bytes) == 0 && tensor.strides().getFirst() % RUN == 0;
  }

  @Override
  public String name() {
    return "quantize_" + (square ? "128x128_" : "1x128_") + source.text() + "_x" + vector;
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(WARPS * Warp.SIZE);
    var lane = thread.modulo(Warp.SIZE);
    var warp = thread.dividedBy(Warp.SIZE);
    var x = k.global(spec("X", source));
    var y = k.global(spec("Y", E4m3Scale.CODE));
    var factors = k.global(TensorSpec.of("Factor", ElementType.F32, "R", "B"));
    var column = k.blockY().times(BLOCK).plus(lane.times(RUN));
    var first = k.blockX().times(square ? BLOCK : WARPS).plus(warp);
    int rows = square ? BLOCK : WARPS;

    var largest = k.accumulator();
    k.loop(k.constant(0), k.constant(rows), WARPS, pass -> {
      for (var value : load(k, x, first.plus(pass), column)) {
        largest.set(largest.value().max(E4m3Scale.magnitude(k, value)));
      }
    });
    var ofWarp = new ThreadGroup(k, thread, WARPS * Warp.SIZE, Warp.SIZE).max(largest.value());
    var scale = new E4m3Scale(k, square ? ofBlock(k, lane, warp, ofWarp) : ofWarp);
    var place = square ? factors.at(k.blockX(), k.blockY()) : factors.at(first, k.blockY());
    k.when((square ? thread : lane).equalTo(0).and(place.inside()), () -> place.store(scale.factor()));
    var inverse = scale.inverse();

    k.loop(k.constant(0), k.constant(rows), WARPS, pass -> {
      var row = first.plus(pass);
      var codes = E4m3Scale.codes(k, load(k, x, row, column), inverse);
      for (int i = 0; i < RUN; i += vector) {
        var to = y.at(row, column.plus(i));
        var part = codes.subList(i, i + vector);
        k.when(to.inside(), () -> to.store(part));
      }
    });
  }

  private TensorSpec spec(String name, ElementType type) {
    var spec = TensorSpec.of(name, type, "M", "K").contiguous("K");
    return vector == 1 ? spec : spec.aligned(vector).multipleOf("K", vector);
  }

  private List<F32> load(Scope k, GlobalTensor x, I32 row, I32 column) {
    return IntStream.range(0, RUN / vector).boxed().flatMap(i -> {
      var from = x.at(row, column.plus(i * vector));
      return from.vectorOrZeros(vector, from.inside()).values().stream();
    }).toList();
  }

  private static F32 ofBlock(Scope k, I32 lane, I32 warp, F32 ofWarp) {
    var maxima = k.shared("maxima", ElementType.F32, Layout.of(WARPS, 1));
    k.when(lane.equalTo(0), () -> maxima.at(warp).store(ofWarp));
    k.barrier();
    return IntStream.range(0, WARPS).mapToObj(i -> maxima.at(k.constant(i)).load()).reduce(F32::max).orElseThrow();
  }
}
