package tilewright.kernels.catalogue;

import java.util.List;
import java.util.Locale;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.Kernel;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.tiled.OperandOrder;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.gemm.Gemm;
import tilewright.kernels.gemm.GemmConfig;
import tilewright.kernels.gemm.Sm80Gemm;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.ptx.Dim3;
import tilewright.reference.MatrixReference;

/**
 * C (M,N) = A (M,K) · B (K,N) of 16-bit floats, rows contiguous in all three, on tensor cores: {@link Sm80Gemm} in
 * configurations worth comparing, summed in the tensor cores' FP32 or f16 and rounded once. NaNs and infinities as
 * in that sum.
 *
 * @param config of the underlying kernel
 */
record MmaGemm(GemmConfig config) implements Kernel {
  private static final int TILE_K = 32;
  /** The extent of a tile of one warp, along m, n and k. */
  private static final int NAIVE_TILE = 16;
  /** Columns of a warp from which four lanes can trade their results for eight neighbours each. */
  private static final int TRADED_COLUMNS = 32;
  private static final int PAIR = 2;

  /** Square tiles, stages along k, and rows of tiles that CTAs work through together: with 1 in the tiles' order. */
  static final List<Family> FAMILIES = List.of(new GemmFamily("mma_gemm",
      "C (M,N) = A (M,K) · B (K,N) of 16-bit floats on tensor cores", List.of(
          Setting.option("dtype", "f16", "bf16"), Setting.option("tile", "128", "64"),
          Setting.option("stages", "4", "2", "3", "1"), Setting.option("band", "8", "1"),
          Setting.option("acc", "f32", "f16"), Setting.option("order", "TT", "TN"))) {
    /**
     * One warp per CTA or more; the warps of a tile; the order of operands in shared memory; whether lanes trade
     * results for wide stores.
     */
    @Override
    List<Setting> tunings() {
      return List.of(tuning("path", "tiles", "naive"), tuning("warps", "2x2", "2x4"),
          tuning("smem", "swizzled", "padded", "plain"), tuning("store", "wide", "pairs"));
    }

    private static Setting tuning(String name, String... values) {
      return new Setting(name, List.of(values), Setting.Kind.TUNING);
    }

    @Override
    public boolean supports(Choice choice) {
      return choice.text("acc").equals("f32") || choice.text("dtype").equals("f16");
    }

    /** Every type, tile and number of stages with the other options at their defaults, and each of those by itself. */
    @Override
    public List<Choice> variants() {
      var main = List.of("dtype", "tile", "stages", "band");
      return super.variants().stream().filter(choice -> usual(choice, List.of("acc", "order"))
          && (!choice.text("stages").equals("1") || usual(choice, List.of("tile", "band")))
          || usual(choice, main)).toList();
    }

    private boolean usual(Choice choice, List<String> settings) {
      return settings.stream().allMatch(name -> choice.text(name).equals(defaults().text(name)));
    }

    @Override
    public Workload workload(Choice choice) {
      var type = choice.type("dtype");
      int m = choice.number("m");
      int n = choice.number("n");
      int k = choice.number("k");
      boolean byRows = choice.text("order").equals("TT");
      var b = byRows ? Operand.input("B", type, choice, "k", "n") : Operand.input("B", type, choice, "n", "k");
      var operands = List.of(Operand.input("A", type, choice, "m", "k"), b,
          Operand.output("C", type, choice, "m", "n"));
      long bytes = operands.stream().mapToLong(Operand::bytes).sum();
      var reference = MatrixReference.tensorCores(type, choice.type("acc"),
          byRows ? MatrixReference.Order.ROWS : MatrixReference.Order.COLUMNS, m, n, k);
      return new Workload(launch(GemmProblem.packed(type, type, m, n, k, 1, choice.text("order")), choice), operands,
          reference, bytes, 2.0 * m * n * k);
    }
  });

  private static PreparedLaunch launch(GemmProblem problem, Choice choice) {
    var config = config(problem, choice);
    var kernel = CompiledKernel.compile(new MmaGemm(config), Target.SM80);
    int m = problem.m();
    int n = problem.n();
    int k = problem.k();
    var arguments = LaunchArguments.of(kernel).tensor("A", problem.a().argument(m, k, 1))
        .tensor("B", problem.b().argument(n, k, 1)).tensor("C", problem.c().argument(m, n, 1))
        .scalar("alpha", 1).scalar("beta", 0);
    var tiles = Math.multiplyExact(Math.ceilDiv(m, config.tile().m()), Math.ceilDiv(n, config.tile().n()));
    return new PreparedLaunch(kernel, Dim3.of(tiles), arguments.build());
  }

  /** The widest accesses that the problem allows, in the chosen tiles. */
  private static GemmConfig config(GemmProblem problem, Choice choice) {
    var widest = Gemm.configure(problem);
    var vectors = widest.vectors();
    // The addresses of single elements leave no registers for the larger tile.
    boolean single = vectors.a() == 1 || vectors.b() == 1 || vectors.c() == 1;
    int side = single ? Math.min(64, choice.number("tile")) : choice.number("tile");
    int band = choice.number("band");
    var order = OperandOrder.valueOf(choice.text("smem").toUpperCase(Locale.ROOT));
    int warpsN = choice.text("warps").equals("2x4") ? 4 : 2;
    var tile = choice.text("path").equals("naive")
        ? new GemmConfig.Tile(NAIVE_TILE, NAIVE_TILE, NAIVE_TILE, 1, 1, 1, band, order)
        : new GemmConfig.Tile(side, side, TILE_K, 2, warpsN, choice.number("stages"), band, order);
    var config = new GemmConfig(widest.operands().summedIn(choice.type("acc")), tile, vectors);
    boolean pairs = choice.text("store").equals("pairs") || tile.n() / tile.warpsN() < TRADED_COLUMNS;
    return pairs ? config.storing(PAIR) : config;
  }

  @Override
  public String name() {
    var tile = config.tile();
    return "mma_gemm_" + config.operands().a().text() + "_" + config.operands().accumulator().text() + "_" + tile.m()
        + "_s" + tile.stages() + "_b" + tile.band();
  }

  @Override
  public void trace(Scope k) {
    new Sm80Gemm(config).trace(k);
  }
}
