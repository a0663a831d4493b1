package tilewright.cli.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.TextTable;
import tilewright.device.cubin.UserCache;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.bench.BenchmarkException;
import tilewright.verification.bench.GemmTuning;

/** {@code tilewright tune}: finds the fastest tunings of a kernel on this machine's GPU. */
@Command(name = "tune", description = {
    "Measure the Hopper GEMM's tiles on this machine's GPU and keep the fastest of each shape for run gemm.",
    "Without it run gemm takes the tile that should be fastest by its cost model.",
    "With KERNEL, measure that kernel in every combination of the values of its tunings, and name the fastest."})
@Examples({"tune --shape 16x4096x4096", "tune relu --set threads=128,256,512"})
public final class TuneCommand implements Callable<Integer> {
  private static final String SHAPE = "[1-9]\\d{0,8}(x[1-9]\\d{0,8}){2}";

  private final Console console;
  private final KernelRegistry registry;
  private final TiledGemmKernel kernel;

  @Parameters(paramLabel = "KERNEL", arity = "0..1", description = "A kernel with tunings (default: sm90_gemm).")
  private Optional<String> name;

  @Option(names = "--set", paramLabel = "NAME=VALUES",
      description = "Values of a KERNEL's setting to try, commas between; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--shape", split = ",", paramLabel = "MxNxK",
      defaultValue = "1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192",
      description = "Shapes, commas between (default: squares from 1024 to 8192).")
  private List<String> shapes;

  @Option(names = "--order", paramLabel = "TN|NN|TT|NT", defaultValue = "TN",
      description = "Order of the operands as BLAS names it (default: TN, both along k).")
  private String order;

  @Option(names = "--dtype", paramLabel = "f16|bf16", defaultValue = "bf16",
      description = "Type of A, B and C (default: bf16).")
  private String dtype;

  @Option(names = "--most", paramLabel = "N", defaultValue = "8",
      description = "Tiles to try of each shape, those first that should be fastest (default: 8).")
  private int most;

  public TuneCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
    this.kernel = (TiledGemmKernel) registry.find(TunedTiles.KERNEL).orElseThrow();
  }

  /** A shape's fastest tile beside the one that was expected to be. */
  record Row(String problem, String tile, double ms, double tflops, String expected, double gain) {}

  @Override
  public Integer call() {
    if (name.map(n -> n.replace('-', '_')).filter(n -> !n.equals(TunedTiles.KERNEL)).isPresent()) {
      return tuneFamily(FamilyTuning.of(registry, name.get(), settings));
    }
    if (!settings.isEmpty()) throw CommandFailure.badInput("--set is of a KERNEL; the GEMM has --shape, --order, "
        + "--dtype and --most");
    return tuneGemm();
  }

  private int tuneFamily(FamilyTuning tuning) {
    try {
      var rows = tuning.measure(console);
      for (var row : rows) if (console.json()) console.result(row, "");
      if (!console.json()) console.text(FamilyTuning.table(rows));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private int tuneGemm() {
    var problems = shapes.stream().map(this::problem).toList();
    if (most < 1) throw CommandFailure.badInput("invalid --most " + most + ": needed is an integer from 1 on");
    try (var tuning = GemmTuning.open(kernel)) {
      var text = new TextTable("problem", "tile", "ms", "TFLOP/s", "expected", "gain");
      for (var problem : problems) {
        console.progress("tuning " + TunedTiles.key(problem));
        var row = row(problem, tuning.measure(problem, most));
        // Read again, as another tune may have added to it since.
        TunedTiles.of(UserCache.folder(), tuning.gpu(), console).with(problem, row.tile).save();
        if (console.json()) console.result(row, "");
        text.add(row.problem, row.tile, "%.4f".formatted(row.ms), "%.1f".formatted(row.tflops), row.expected,
            "%.3f".formatted(row.gain));
      }
      console.progressDone();
      if (!console.json()) console.text(text.toString());
      console.note("kept in " + TunedTiles.file(UserCache.folder(), tuning.gpu()));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    }
  }

  private GemmProblem problem(String shape) {
    if (!shape.matches(SHAPE)) {
      throw CommandFailure.badInput("invalid --shape " + shape + ": needed is MxNxK, such as 16x4096x4096");
    }
    var type = Stream.of(ElementType.F16, ElementType.BF16).filter(t -> t.text().equals(dtype)).findFirst()
        .orElseThrow(() -> CommandFailure.badInput("invalid --dtype " + dtype + ": f16 or bf16"));
    var extents = Stream.of(shape.split("x")).mapToInt(Integer::parseInt).toArray();
    try {
      var problem = GemmProblem.packed(type, type, extents[0], extents[1], extents[2], 1, order);
      kernel.prepare(problem, kernel.tiles(problem).getFirst());
      return problem;
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private Row row(GemmProblem p, List<GemmTuning.Timed> timed) {
    var best = timed.getFirst();
    var expected = kernel.tiles(p).getFirst();
    double before = timed.stream().filter(t -> t.tile().equals(expected)).findFirst().orElseThrow().ms();
    return new Row(TunedTiles.key(p), best.tile(), best.ms(), 2e-9 * p.m() * p.n() * p.k() / best.ms(), expected,
        before / best.ms());
  }
}
