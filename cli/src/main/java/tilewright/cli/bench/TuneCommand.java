package tilewright.cli.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.SourceCommit;
import tilewright.cli.io.TextTable;
import tilewright.cli.sweep.DividedCommand;
import tilewright.cli.sweep.MeasuredShard;
import tilewright.cli.sweep.SweepOptions;
import tilewright.device.cubin.UserCache;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.library.TiledGemmKernel;
import tilewright.kernels.registry.KernelRegistry;
import tilewright.numerics.ElementType;
import tilewright.verification.bench.BenchmarkException;
import tilewright.verification.bench.GemmTuning;
import tilewright.verification.bench.RowMeasurement;

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

  @Mixin
  private SweepOptions sweep = new SweepOptions();

  public TuneCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.registry = registry;
    this.kernel = (TiledGemmKernel) registry.find(TunedTiles.KERNEL).orElseThrow();
  }

  /** A shape's fastest tile beside the one that was expected to be. */
  record Row(String problem, String tile, double ms, double tflops, String expected, double gain) {
    Row {
      Objects.requireNonNull(problem);
      Objects.requireNonNull(tile);
      Objects.requireNonNull(expected);
    }
  }

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
      var rows = sweep.isGiven() ? shard(tuning) : tuning.measure(console);
      for (var row : rows) if (console.json()) console.result(row, "");
      if (!console.json()) console.text(FamilyTuning.table(rows));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private static DividedCommand command(List<String> arguments) {
    return new DividedCommand(TuneReport.COMMAND, SourceCommit.find(), arguments);
  }

  private List<FamilyTuning.Row> shard(FamilyTuning tuning) {
    try (var rows = tuning.open(console)) {
      var measured = MeasuredShard.run(command(tuning.arguments()), rows, FamilyTuning.Row.class, sweep, _ -> {},
          console);
      console.progressDone();
      return FamilyTuning.rankedRows(measured);
    }
  }

  private int tuneGemm() {
    var problems = new LinkedHashMap<String, GemmProblem>();
    shapes.stream().map(this::problem).forEach(problem -> problems.put(TunedTiles.key(problem), problem));
    if (most < 1) throw CommandFailure.badInput("invalid --most " + most + ": needed is an integer from 1 on");
    try (var tuning = new GemmRows(GemmTuning.open(kernel), problems)) {
      var rows = MeasuredShard.run(command(arguments()), tuning, Row.class, sweep,
          row -> { if (console.json()) console.result(row, ""); }, console);
      console.progressDone();
      if (!console.json()) console.text(table(rows));
      console.note("kept in " + TunedTiles.file(UserCache.folder(), tuning.device()));
      return Exit.OK;
    } catch (BenchmarkException e) {
      throw CommandFailure.environmentLacks(e.getMessage());
    }
  }

  /** Measures one shape after the other, and keeps the fastest tile of each for this machine. */
  private final class GemmRows implements RowMeasurement<Row> {
    private final GemmTuning tuning;
    private final SequencedMap<String, GemmProblem> problems;

    private GemmRows(GemmTuning tuning, SequencedMap<String, GemmProblem> problems) {
      this.tuning = tuning;
      this.problems = problems;
    }

    @Override
    public String device() {
      return tuning.gpu();
    }

    @Override
    public List<String> keys() {
      return List.copyOf(problems.keySet());
    }

    @Override
    public Row measure(String key) {
      console.progress("tuning " + key);
      var problem = problems.get(key);
      var row = row(problem, tuning.measure(problem, most));
      // Read again, as another tune may have added to it since.
      TunedTiles.of(UserCache.folder(), tuning.gpu(), console).with(problem, row.tile).save();
      return row;
    }

    @Override
    public void close() {
      tuning.close();
    }
  }

  static String table(List<Row> rows) {
    var text = new TextTable("problem", "tile", "ms", "TFLOP/s", "expected", "gain");
    rows.forEach(row -> text.add(row.problem, row.tile, "%.4f".formatted(row.ms), "%.1f".formatted(row.tflops),
        row.expected, "%.3f".formatted(row.gain)));
    return text.toString();
  }

  /** The command line of the GEMM's tuning, always the same one for the same rows. */
  private List<String> arguments() {
    return List.of("--shape", String.join(",", shapes), "--order", order, "--dtype", dtype, "--most", "" + most);
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
