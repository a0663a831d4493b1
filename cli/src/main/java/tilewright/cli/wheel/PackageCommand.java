package tilewright.cli.wheel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.InputFile;
import tilewright.cli.launch.LaunchProgress;
import tilewright.device.assembly.Assembler;
import tilewright.device.cubin.CubinCache;
import tilewright.kernel.CompiledKernel;
import tilewright.kernels.choice.Correction;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright package}: the operators as a Python wheel, which needs no Java, compiler or toolkit. */
@Command(name = "package", description = {
    "Write a Python wheel with kernels, the choices among them, and PyTorch operators.",
    "It needs a GPU's driver and PyTorch, but no Java, compiler or toolkit: pip install FILE."})
@Examples({"package --out dist                          # all operators",
    "package --out dist --arch sm90 --operator attention_forward --case bf16-causal,bf16-all"})
public final class PackageCommand implements Callable<Integer> {
  /** The modules of the package, which are resources beside this class. */
  static final List<String> SOURCES = List.of("__init__.py", "_arrays.py", "_cache.py", "_closures.py", "_compile.py",
      "_dispatch.py", "_driver.py", "_functions.py", "_launch.py", "_runtime.py", "_torch.py", "_triton.py",
      "apart.py", "appending.py", "caches.py", "codes.py", "embeddings.py", "flash_attn.py", "flash_mla.py", "flex.py",
      TracedFunctions.FILE, "grouped.py", "latent.py", "merging.py", "ops.py", "products.py", "py.typed", "rotary.py",
      "rows.py", "scaled.py", "simulation.py", "sinks.py", "transformers.py");
  private static final String NAME = "tilewright";
  private static final String UNPACKAGED = "0.0.0-SNAPSHOT";

  private final Console console;

  @Option(names = "--out", required = true, paramLabel = "DIR", description = "The folder to write the wheel to.")
  private Path out;

  @Option(names = "--arch", split = ",", paramLabel = "ARCH",
      description = "The GPUs to choose for: ${DEFAULT-VALUE}; PTX runs on later ones too.")
  private List<String> architectures = List.of("sm80", "sm86", "sm90", "sm100");

  @Option(names = "--operator", split = ",", paramLabel = "NAME",
      description = "Operators to package (default: all): ${COMPLETION-CANDIDATES}.",
      completionCandidates = Operators.class)
  private List<String> operators = List.of();

  @Option(names = "--case", split = ",", paramLabel = "CASE",
      description = "Types and options to package (default: all), such as bf16-causal of attention.")
  private List<String> only = List.of();

  @Option(names = "--columns", split = ",", paramLabel = "N",
      description = "Lengths of the rows of rms_norm, layer_norm, softmax and embedding: ${DEFAULT-VALUE}.")
  private List<Long> columns = RowOperator.COMMON;

  @Option(names = "--functions", paramLabel = "FILE",
      description = "Functions of flex_forward and flex_backward, as Python traces them (default: ready-made ones).")
  private Optional<Path> functions = Optional.empty();

  @Option(names = "--head-dim", split = ",", paramLabel = "N",
      description = "Head dimensions of flex_forward and flex_backward: ${DEFAULT-VALUE}.")
  private List<Long> headDims = FlexOperator.COMMON;

  public PackageCommand(Console console) {
    this.console = console;
  }

  /** The names of all operators. */
  static final class Operators implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return PackageData.operators().stream().map(PackagedOperator::name).iterator();
    }
  }

  record Row(String wheel, String version, long bytes, int kernels, int cubins) {}

  @Override
  public Integer call() {
    var chosen = operators.isEmpty() ? all() : operators.stream().map(this::operator).toList();
    var capabilities = architectures.stream().map(this::capability).toList();
    functions.ifPresent(file -> checkGradients(file, chosen));
    checkCases(chosen, capabilities);
    makeFolder();
    var kernels = new PackagedKernels();
    var files = new TreeMap<String, byte[]>();
    var data = data(chosen, capabilities, kernels);
    var code = assemble(kernels.all());
    // The order of Map.of differs from run to run, and a wheel must not.
    var json = JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();
    data.forEach((capability, operator) -> files.put(NAME + "/data/sm" + capability + ".json",
        json.writeValueAsBytes(operator)));
    corrections(chosen, capabilities).forEach(correction -> files.put(NAME + "/data/" + correction.name() + ".json",
        json.writeValueAsBytes(correction.json())));
    var blocks = new CodeBlocks(code);
    files.put(NAME + "/data/kernels.json", json.writeValueAsBytes(blocks.json()));
    blocks.files().forEach((name, bytes) -> files.put(NAME + "/data/" + name, bytes));
    for (var source : SOURCES) files.put(NAME + "/" + source, source(source));
    // Python looks for functions where their kernels are.
    functions.ifPresent(file -> files.put(NAME + "/" + TracedFunctions.FILE, InputFile.bytes(file)));
    var wheel = new Wheel(NAME, version(), "Tensor-core kernels with PyTorch operators, without a compiler", files);
    var file = out.resolve(wheel.fileName());
    var bytes = wheel.bytes();
    AtomicFile.write(file, channel -> AtomicFile.writeFully(channel, ByteBuffer.wrap(bytes)));
    int cubins = (int) code.stream().filter(kernel -> kernel.cubin().isPresent()).count();
    console.result(new Row(file.toString(), version(), bytes.length, code.size(), cubins),
        "%s: %.1f MB, %d kernels, %d of them as machine code".formatted(file, bytes.length / 1e6, code.size(),
            cubins));
    return Exit.OK;
  }

  private List<PackagedOperator> all() {
    columns.stream().filter(n -> n < 1 || n > RowOperator.LONGEST).findFirst().ifPresent(n -> {
      throw CommandFailure.badInput("--columns " + n + ": needed are numbers from 1 to " + RowOperator.LONGEST);
    });
    headDims.stream().filter(n -> n < 8 || n > 256 || n % 8 != 0).findFirst().ifPresent(n -> {
      throw CommandFailure.badInput("--head-dim " + n + ": needed are multiples of 8 up to 256");
    });
    return PackageData.operators(columns.stream().distinct().sorted().toList(),
        functions.map(PackageCommand::functions).orElse(TracedFunctions.READY_MADE),
        headDims.stream().distinct().sorted().toList());
  }

  private static List<TracedFunctions> functions(Path file) {
    try {
      var all = TracedFunctions.all(JsonMapper.shared().readTree(InputFile.text(file)));
      all.forEach(form -> form.require(false));
      return all;
    } catch (JacksonException | IllegalArgumentException e) {
      throw CommandFailure.badFile(file, "has no functions for kernels: " + e.getMessage());
    }
  }

  private PackagedOperator operator(String name) {
    var all = all();
    return all.stream().filter(operator -> operator.name().equals(name)).findFirst().orElseThrow(() ->
        CommandFailure.badInput("no operator " + name + ": there are "
            + String.join(", ", all.stream().map(PackagedOperator::name).toList())));
  }

  private int capability(String architecture) {
    return PackageData.CAPABILITIES.stream().filter(c -> architecture.equals("sm" + c)).findFirst().orElseThrow(() ->
        CommandFailure.badInput("no kernels for --arch " + architecture + ": there are those for "
            + String.join(", ", PackageData.CAPABILITIES.stream().map(c -> "sm" + c).toList())));
  }

  private void checkCases(List<PackagedOperator> chosen, List<Integer> capabilities) {
    var all = capabilities.stream().flatMap(c -> PackageData.cases(chosen, c).stream()).map(c -> c.problems().key())
        .distinct().toList();
    only.stream().filter(name -> !all.contains(name)).findFirst().ifPresent(name -> {
      throw CommandFailure.badInput("no case " + name + ": there are " + String.join(", ", all));
    });
  }

  private static Stream<Correction> corrections(List<PackagedOperator> chosen, List<Integer> capabilities) {
    return capabilities.stream().flatMap(capability -> PackageData.cases(chosen, capability).stream())
        .flatMap(named -> named.problems().correction().stream()).distinct();
  }

  private static void checkGradients(Path file, List<PackagedOperator> chosen) {
    for (var operator : chosen) {
      if (!(operator instanceof FlexOperator flex) || !flex.backward()) continue;
      try {
        flex.forms().forEach(form -> form.require(true));
      } catch (IllegalArgumentException e) {
        throw CommandFailure.badFile(file, "has functions without gradients: " + e.getMessage());
      }
    }
  }

  private Map<Integer, Map<String, Object>> data(List<PackagedOperator> chosen, List<Integer> capabilities,
      PackagedKernels kernels) {
    var all = new TreeMap<Integer, Map<String, Object>>();
    for (int capability : capabilities) {
      var cases = PackageData.cases(chosen, capability).stream()
          .filter(c -> only.isEmpty() || only.contains(c.problems().key())).toList();
      try (var progress = new LaunchProgress(console, cases.size())) {
        all.put(capability, PackageData.of(cases, kernels,
            name -> progress.begins("choices for sm" + capability + ": " + name)));
      }
    }
    return all;
  }

  private List<PackagedCode> assemble(List<CompiledKernel> kernels) {
    var assembler = Assembler.findForOldDrivers();
    var cache = CubinCache.ofUser();
    try (var progress = new LaunchProgress(console, kernels.size())) {
      return IntStream.range(0, kernels.size()).parallel().mapToObj(i -> {
        progress.begins("assembling " + kernels.get(i).name());
        return PackagedCode.of(kernels.get(i), assembler, cache);
      }).toList();
    }
  }

  private static String version() {
    return Wheel.version(Optional.ofNullable(PackageCommand.class.getPackage().getImplementationVersion())
        .orElse(UNPACKAGED));
  }

  private void makeFolder() {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw CommandFailure.badFile(out, "cannot be made: " + InputFile.reason(e));
    }
  }

  private static byte[] source(String name) {
    try (var source = PackageCommand.class.getResourceAsStream("python/" + name)) {
      return source.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("the sources are part of this program", e);
    }
  }
}
