package tilewright.cli.run;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Exit;
import tilewright.cli.io.NearestName;
import tilewright.cli.kernel.ChosenSettings;
import tilewright.cli.launch.Backend;
import tilewright.cli.tensor.NpyFile;
import tilewright.cli.tensor.NpyHeader;
import tilewright.cli.tensor.NpyType;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;

/** {@code tilewright run FAMILY}: a kernel of the catalogue on {@code .npy} files, whose shapes give the extents. */
@Command(description = {"Run a kernel of the catalogue on data in files; \"tilewright kernels\" has its formula.",
    "The files' shapes give the extents, their type gives dtype."})
public final class RunFamily implements Callable<Integer> {
  private static final int ALIGNMENT = 256;

  private final Console console;
  private final Family family;

  @Option(names = "--in", required = true, paramLabel = "TENSOR=FILE.npy", description = "An input, in C order.")
  private Map<String, Path> inputs = new LinkedHashMap<>();

  @Option(names = "--out", required = true, paramLabel = "TENSOR=FILE.npy", description = "Where an output goes.")
  private Map<String, Path> outputs = new LinkedHashMap<>();

  @Option(names = "--set", paramLabel = "NAME=VALUE", description = "One of the kernel's options; may be repeated.")
  private Map<String, String> chosen = new LinkedHashMap<>();

  @Option(names = "--on", paramLabel = "sim|gpu", defaultValue = "sim", description = "Where to run (default: sim).")
  private Backend backend;

  public RunFamily(Console console, Family family) {
    this.console = console;
    this.family = family;
  }

  record Row(String kernel, Map<String, String> settings, String backend, double ms, List<?> findings) {}

  @Override
  public Integer call() {
    requireKnown("--in", inputs.keySet(), "input", Operand.Role::isRead);
    requireKnown("--out", outputs.keySet(), "output", Operand.Role::isWritten);
    outputs.values().forEach(AtomicFile::requireWritable);
    requireDistinct();
    try (var arena = Arena.ofShared()) {
      var files = new LinkedHashMap<String, NpyFile>();
      inputs.forEach((name, path) -> files.put(name, NpyFile.read(path, arena)));
      var choice = choice(files);
      var workload = workload(choice);
      var buffers = new HashMap<String, MemorySegment>();
      for (var operand : workload.operands()) buffers.put(operand.name(), buffer(operand, files, arena));
      var result = backend.run(workload.launch().on(buffers), console);
      if (result.findings().isEmpty()) write(workload, buffers);
      return report(choice, result);
    }
  }

  private void requireKnown(String option, Set<String> names, String kind, Predicate<Operand.Role> used) {
    var known = workload(family.defaults()).operands().stream().filter(o -> used.test(o.role())).map(Operand::name)
        .toList();
    for (var name : names) {
      if (known.contains(name)) continue;
      throw CommandFailure.badInput("invalid " + option + " " + name + "=…: kernel " + family.name() + " has no such "
          + kind + NearestName.hint(name, known, "; it has " + String.join(", ", known)));
    }
  }

  private void requireDistinct() {
    if (outputs.values().stream().map(path -> path.toAbsolutePath().normalize()).distinct().count() < outputs.size()) {
      throw CommandFailure.badInput("two outputs go to one file; needed is a file for each --out");
    }
  }

  /** Settings that the user gave, the type and the extents that the files have. */
  private Choice choice(Map<String, NpyFile> files) {
    var values = new LinkedHashMap<>(ChosenSettings.over(family.defaults(), chosen).values());
    if (!chosen.containsKey("dtype")) type(files).ifPresent(type -> values.replace("dtype", type));
    var bound = new HashMap<String, Long>();
    for (var operand : workload(new Choice(values)).operands()) {
      if (!operand.role().isRead()) continue;
      var file = files.get(operand.name());
      if (file == null) throw CommandFailure.badInput("kernel " + family.name() + " needs --in " + operand.name()
          + "=FILE.npy, a tensor (" + String.join(",", operand.modes()) + ")");
      bind(operand, file, values, bound);
    }
    return new Choice(values);
  }

  /** Returns the type of the first input whose type is a choice of {@code dtype}; indices, for example, are not. */
  private Optional<String> type(Map<String, NpyFile> files) {
    var types = family.settings().stream().filter(s -> s.name().equals("dtype")).flatMap(s -> s.values().stream())
        .toList();
    return workload(family.defaults()).operands().stream().map(Operand::name).filter(files::containsKey)
        .flatMap(name -> files.get(name).header().type().element().stream()).map(ElementType::text)
        .filter(types::contains).findFirst();
  }

  private void bind(Operand operand, NpyFile file, Map<String, String> values, Map<String, Long> bound) {
    var shape = file.header().shape();
    var modes = operand.modes();
    if (shape.size() != modes.size() || file.header().fortranOrder()) {
      throw CommandFailure.badFile(inputs.get(operand.name()), "holds " + file.header().extents()
          + (file.header().fortranOrder() ? " in Fortran order" : "") + "; needed is (" + String.join(",", modes)
          + ") in C order");
    }
    for (int i = 0; i < modes.size(); i++) {
      long extent = shape.get(i);
      var mode = modes.get(i);
      var known = values.containsKey(mode) ? bound.putIfAbsent(mode, extent) : Long.valueOf(mode);
      if (known != null && known != extent) throw CommandFailure.badFile(inputs.get(operand.name()),
          "has " + mode + " = " + extent + "; needed is " + known);
      if (chosen.containsKey(mode) && !chosen.get(mode).equals(Long.toString(extent))) {
        throw CommandFailure.badFile(inputs.get(operand.name()),
            "has " + mode + " = " + extent + "; needed is " + chosen.get(mode) + ", as --set says");
      }
      values.computeIfPresent(mode, (_, _) -> Long.toString(extent));
    }
  }

  private Workload workload(Choice choice) {
    try {
      family.requireSupported(choice);
      return backend.capability().stream().mapToObj(family::on).findFirst().orElse(family).workload(choice);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(e.getMessage());
    }
  }

  private MemorySegment buffer(Operand operand, Map<String, NpyFile> files, Arena arena) {
    var buffer = arena.allocate(Math.max(operand.bytes(), 1), ALIGNMENT);
    if (!operand.role().isRead()) return buffer;
    var file = files.get(operand.name());
    if (!file.header().type().holds(operand.type())) {
      throw CommandFailure.badFile(inputs.get(operand.name()), "has elements of type " + file.header().type().descr()
          + "; needed is " + operand.type().text());
    }
    if (file.header().type().isUntyped() && !chosen.containsKey("dtype")) {
      throw CommandFailure.badFile(inputs.get(operand.name()), "has elements of type " + file.header().type().descr()
          + "; needed is " + operand.type().text() + ": say --set dtype=" + operand.type().text()
          + " if that is what they are");
    }
    if (operand.bytes() > 0) buffer.copyFrom(file.data());
    return buffer;
  }

  private void write(Workload workload, Map<String, MemorySegment> buffers) {
    outputs.forEach((name, path) -> {
      var operand = workload.operands().stream()
          .filter(o -> o.role().isWritten() && o.name().equals(name)).findFirst()
          .orElseThrow(() -> CommandFailure.badInput("kernel " + family.name() + " has no output " + name));
      var header = new NpyHeader(NpyType.of(operand.type()), false, operand.extents());
      new NpyFile(header, buffers.get(name).asSlice(0, operand.bytes())).write(path);
    });
  }

  private int report(Choice choice, Backend.Result result) {
    var row = new Row(family.name(), choice.values(), backend.toString(), result.ms(), result.findings());
    var written = outputs.values().stream().map(Path::toString).collect(Collectors.joining(", "));
    console.result(row, "%s: %s with %s on %s, %.1f ms".formatted(result.findings().isEmpty() ? written
        : "not written", row.kernel, choice, row.backend, row.ms));
    result.findings().forEach(finding -> console.note(finding.toString()));
    return result.findings().isEmpty() ? Exit.OK : Exit.CHECK_FAILED;
  }
}
