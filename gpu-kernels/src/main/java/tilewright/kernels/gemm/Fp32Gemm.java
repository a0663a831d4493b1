package tilewright.kernels.gemm;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.F32;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.Partition;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.SharedTensor;
import tilewright.kernel.Target;
import tilewright.kernel.TensorSpec;
import tilewright.kernel.collective.OutputTile;
import tilewright.kernel.tiled.Fragment;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.epilogue.DirectEpilogue;
import tilewright.kernels.epilogue.Epilogue;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.ptx.Operand;

/**
 * C = f(A·Bᵀ) in FP32 without tensor cores, whose products of FP32 numbers would be rounded: A (M,K,L), B (N,K,L) and
 * C (M,N,L) of any extents and strides, one fused multiply-add after the other along k.
 *
 * <p>Data path: global → registers → shared memory, transposed on the way where k is contiguous → registers, four rows
 * and four columns per thread → {@code fma}.
 *
 * @param a the type of A's elements: f32, f16 or bf16; likewise {@code b} and {@code c}
 * @param aAlongK whether A's elements along k are neighbours; likewise B's
 */
public record Fp32Gemm(ElementType a, ElementType b, ElementType c, boolean aAlongK, boolean bAlongK,
    Epilogue epilogue) implements Kernel {
  private static final List<ElementType> TYPES = List.of(ElementType.F32, ElementType.F16, ElementType.BF16);
  private static final int TILE = 64;
  private static final int DEPTH = 16;
  /** A column more, so that neither neighbours along k nor along m share a bank. */
  private static final Layout SHARED = Layout.of(Layout.of(TILE, 1), Layout.of(DEPTH, TILE + 1));
  private static final int SIDE = 4;
  /** Sixteen by sixteen threads, each with every sixteenth row and column. */
  private static final Partition THREADS =
      Partition.exact(Layout.parse("((16,16),(4,4)):((64,1),(1024,16))"), TILE, TILE);
  private static final int BAND = 16;

  public Fp32Gemm {
    for (var type : List.of(a, b, c)) {
      if (!TYPES.contains(type)) {
        throw new IllegalArgumentException("no product without tensor cores of " + type.text() + ": f32, f16 or bf16");
      }
    }
  }

  /**
   * Prepares the launch.
   *
   * @throws IllegalArgumentException for other types than f32, f16 and bf16
   */
  public static PreparedLaunch prepare(GemmProblem problem, EpilogueArguments epilogue) {
    epilogue.requireFor(problem);
    if (problem.types().accumulator() != ElementType.F32) {
      throw new IllegalArgumentException("products without tensor cores are accumulated in f32");
    }
    var types = problem.types();
    var gemm = new Fp32Gemm(types.a(), types.b(), types.output(), problem.a().isRowMajor(), problem.b().isRowMajor(),
        epilogue.tree());
    var kernel = CompiledKernel.compile(gemm, Target.SM80);
    var arguments = LaunchArguments.of(kernel)
        .tensor("A", problem.a().argument(problem.m(), problem.k(), problem.batch()))
        .tensor("B", problem.b().argument(problem.n(), problem.k(), problem.batch()))
        .tensor("C", problem.c().argument(problem.m(), problem.n(), problem.batch()));
    epilogue.bind(arguments);
    int tiles = Math.multiplyExact(Math.ceilDiv(problem.m(), TILE), Math.ceilDiv(problem.n(), TILE));
    return new PreparedLaunch(kernel, new Dim3(tiles, 1, problem.batch()), arguments.build());
  }

  @Override
  public String name() {
    return "fp32_gemm_" + a.text() + "_" + b.text() + (aAlongK ? "_t" : "_n") + (bAlongK ? "n" : "t");
  }

  @Override
  public void trace(Scope k) {
    var thread = k.block(THREADS.threads());
    var tensorA = k.global(TensorSpec.of("A", a, "M", "K", "L"));
    var tensorB = k.global(TensorSpec.of("B", b, "N", "K", "L"));
    var result = k.global(TensorSpec.of("C", c, "M", "N", "L"));
    var tile = OutputTile.banded(k, result.extent(0).ceilDiv(TILE), result.extent(1).ceilDiv(TILE), result.extent(2),
        BAND);
    var zero = k.constant(0);
    var m = tile.m().times(TILE);
    var n = tile.n().times(TILE);
    var rows = tensorA.from(m, zero, tile.batch());
    var columns = tensorB.from(n, zero, tile.batch());
    var sharedA = k.shared("tile of A", ElementType.F32, SHARED);
    var sharedB = k.shared("tile of B", ElementType.F32, SHARED);
    var sums = IntStream.range(0, SIDE * SIDE).mapToObj(_ -> k.accumulator()).toList();

    k.loop(zero, tensorA.extent(1), DEPTH, from -> {
      var loadedA = load(k, thread, rows, from, aAlongK);
      var loadedB = load(k, thread, columns, from, bAlongK);
      store(thread, loadedA, sharedA, aAlongK);
      store(thread, loadedB, sharedB, bAlongK);
      k.barrier();
      multiply(k, thread, sharedA, sharedB, sums);
      k.barrier();
    });

    var groups = new ArrayList<List<Operand.Register>>();
    for (int i = 0; i < sums.size(); i += SIDE) {
      groups.add(sums.subList(i, i + SIDE).stream().map(sum -> sum.value().register()).toList());
    }
    DirectEpilogue.of(k, epilogue, 1).store(thread, THREADS, new Fragment(groups), result, m, n, tile.batch());
  }

  /** The place in a tile of a thread's elements: neighbours of memory belong to neighbouring threads. */
  private static I32[] place(I32 thread, int access, boolean alongK) {
    var element = thread.plus(access * THREADS.threads());
    return alongK ? new I32[] {element.dividedBy(DEPTH), element.modulo(DEPTH)}
        : new I32[] {element.modulo(TILE), element.dividedBy(TILE)};
  }

  private static List<F32> load(Scope k, I32 thread, GlobalTensor tensor, I32 from, boolean alongK) {
    return IntStream.range(0, TILE * DEPTH / THREADS.threads()).mapToObj(access -> {
      var place = place(thread, access, alongK);
      var element = tensor.at(place[0], place[1].plus(from), k.constant(0));
      return element.vectorOrZeros(1, element.inside()).values().getFirst();
    }).toList();
  }

  private static void store(I32 thread, List<F32> loaded, SharedTensor tile, boolean alongK) {
    for (int access = 0; access < loaded.size(); access++) {
      tile.at(place(thread, access, alongK)).store(loaded.get(access));
    }
  }

  private static void multiply(Scope k, I32 thread, SharedTensor a, SharedTensor b, List<F32.Accumulator> sums) {
    for (int step = 0; step < DEPTH; step++) {
      var at = k.constant(step);
      var rows = IntStream.range(0, SIDE).mapToObj(i ->
          a.at(THREADS.coordinate(thread, SIDE * i)[0], at).load()).toList();
      var columns = IntStream.range(0, SIDE).mapToObj(j ->
          b.at(THREADS.coordinate(thread, j)[1], at).load()).toList();
      for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++) sums.get(SIDE * i + j).fma(rows.get(i), columns.get(j));
      }
    }
  }
}
