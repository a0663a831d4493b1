package tilewright.cli.export;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.cli.io.InputFile;
import tilewright.cli.kernel.KernelChoice;
import tilewright.cli.launch.LaunchProgress;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernels.registry.KernelRegistry;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** {@code tilewright export}: a kernel as files that run without Tilewright and without Java. */
@Command(name = "export", description = {
    "Write a kernel as PTX and machine code with a manifest, a C header and a Python loader.",
    "It then runs without Java: from C by the CUDA driver, from Python on PyTorch's tensors."})
@Examples("export naive_gemm --set dtype=bf16 --out exported")
public final class ExportCommand implements Callable<Integer> {
  static final String LOADER = "tilewright_kernel.py";
  static final String MANIFEST = "manifest.json";

  private final Console console;

  @Mixin
  private final KernelChoice choice;

  @Option(names = "--out", required = true, paramLabel = "DIR", description = "The folder to write to.")
  private Path out;

  @Option(names = "--cubin", split = ",", paramLabel = "TARGET",
      description = "Targets to assemble for, such as sm_90 (default: the kernel's own); PTX runs on later ones too.")
  private List<String> targets = List.of();

  public ExportCommand(Console console, KernelRegistry registry) {
    this.console = console;
    this.choice = new KernelChoice(registry);
  }

  record Row(String kernel, String entry, List<String> grid, List<String> files) {}

  @Override
  public Integer call() {
    var compiled = choice.prepare().kernel();
    var cubins = new TreeMap<String, String>();
    var code = new TreeMap<String, byte[]>();
    for (var target : targets.isEmpty() ? List.of(compiled.module().target()) : targets) {
      var file = ExportManifest.name(choice.kernel(), choice.settings(), compiled.name()) + "." + target + ".cubin";
      assemble(compiled.ptx(), target).ifPresent(bytes -> {
        cubins.put(target, file);
        code.put(file, bytes);
      });
    }
    var manifest = manifest(cubins);
    makeFolder();
    requireNoOther(manifest);
    AtomicFile.write(out.resolve(manifest.ptx()), compiled.ptx());
    code.forEach((file, bytes) -> AtomicFile.write(out.resolve(file),
        channel -> AtomicFile.writeFully(channel, ByteBuffer.wrap(bytes))));
    var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    AtomicFile.write(out.resolve(MANIFEST), json.writeValueAsString(manifest));
    AtomicFile.write(out.resolve(manifest.name() + ".h"), ExportHeader.of(manifest));
    AtomicFile.write(out.resolve(LOADER), loader());
    var files = new ArrayList<>(List.of(manifest.ptx(), MANIFEST, manifest.name() + ".h", LOADER));
    files.addAll(code.keySet());
    var grid = manifest.grid().formula().isPresent() ? manifest.grid().text()
        : manifest.grid().blocks().stream().map(Object::toString).toList();
    console.result(new Row(manifest.kernel(), manifest.entry(), grid, files),
        "%s: entry %s, grid (%s)%s; %s".formatted(out, manifest.entry(), String.join(", ", grid),
            manifest.grid().formula().isPresent() ? "" : " for these extents only", String.join(", ", files)));
    return Exit.OK;
  }

  private ExportManifest manifest(Map<String, String> cubins) {
    try (var progress = new LaunchProgress(console, 1)) {
      progress.begins("asking for the grids of many extents");
      return ExportManifest.of(choice.kernel(), choice.settings(), cubins);
    }
  }

  private Optional<byte[]> assemble(String ptx, String target) {
    if (!target.matches("sm_[1-9]\\d{1,2}[af]?")) {
      throw CommandFailure.badInput("invalid --cubin " + target + ": needed is a target such as sm_90a");
    }
    return switch (Assembler.find().assemble(ptx, target)) {
      case Assembly.Assembled assembled -> Optional.of(assembled.cubin());
      case Assembly.Rejected(var log, var assembler) ->
          throw CommandFailure.badInput(assembler + " rejects the kernel for " + target + ": " + log.strip());
      case Assembly.Unavailable(var reason) when targets.isEmpty() -> {
        console.note("no cubin: " + reason);
        yield Optional.empty();
      }
      case Assembly.Unavailable(var reason) -> throw CommandFailure.environmentLacks(reason);
    };
  }

  private void makeFolder() {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw CommandFailure.badFile(out, "cannot be made: " + InputFile.reason(e));
    }
  }

  /** A folder has one manifest; that of another configuration is not overwritten. */
  private void requireNoOther(ExportManifest manifest) {
    var file = out.resolve(MANIFEST);
    if (!Files.exists(file)) return;
    try {
      var other = JsonMapper.shared().readTree(InputFile.bytes(file)).path("ptx").asString("");
      if (other.equals(manifest.ptx())) return;
      throw CommandFailure.badFile(out, "holds the export of " + other + " already; needed is a folder of its own for "
          + manifest.ptx());
    } catch (JacksonException _) {
      throw CommandFailure.badFile(file, "is no manifest of an export; name another folder with --out");
    }
  }

  private static String loader() {
    try (InputStream source = ExportCommand.class.getResourceAsStream(LOADER)) {
      return new String(source.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("the loader is part of this program", e);
    }
  }
}
