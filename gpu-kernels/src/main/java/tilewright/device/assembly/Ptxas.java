package tilewright.device.assembly;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The {@code ptxas} of a CUDA toolkit. */
final class Ptxas implements AssemblerBackend {
  private static final Pattern RELEASE = Pattern.compile("release (\\d+)\\.(\\d+)");
  private static final Pattern TARGET = Pattern.compile("\\bsm_\\d+[af]?\\b");

  private final Path program;
  private final AssemblerFacts facts;

  private Ptxas(Path program, AssemblerFacts facts) {
    this.program = program;
    this.facts = facts;
  }

  static Optional<AssemblerBackend> find() {
    return Toolkit.find("ptxas").flatMap(Ptxas::inspect);
  }

  /** A program that does not answer as a ptxas does is none. */
  private static Optional<AssemblerBackend> inspect(Path program) {
    try {
      var release = RELEASE.matcher(Toolkit.run(List.of(program.toString(), "--version")).log());
      if (!release.find()) return Optional.empty();
      var help = Toolkit.run(List.of(program.toString(), "--help")).log();
      var targets = TARGET.matcher(help).results().map(match -> match.group()).distinct().sorted().toList();
      var newestPtx = newestPtx(Integer.parseInt(release.group(1)), Integer.parseInt(release.group(2)));
      var version = release.group(1) + "." + release.group(2);
      var facts = new AssemblerFacts("ptxas", version, program.toString(), targets, newestPtx);
      return Optional.of(new Ptxas(program, facts));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** PTX n came with CUDA n + 4, minor for minor, but 8.5 with both 12.5 and 12.6 (PTX ISA, Release Notes). */
  static String newestPtx(int major, int minor) {
    return switch (major) {
      case 12 -> "8." + (minor < 6 ? minor : minor - 1);
      default -> major - 4 + "." + minor;
    };
  }

  @Override
  public AssemblerFacts facts() {
    return facts;
  }

  @Override
  public Output assemble(String ptx, String target, boolean lines) {
    try {
      var folder = Files.createTempDirectory("tilewright-ptxas");
      try {
        return assemble(ptx, target, lines, folder);
      } finally {
        for (var file : List.of("kernel.ptx", "kernel.cubin")) Files.deleteIfExists(folder.resolve(file));
        Files.delete(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + program, e);
    }
  }

  private Output assemble(String ptx, String target, boolean lines, Path folder) throws IOException {
    var source = Files.writeString(folder.resolve("kernel.ptx"), ptx);
    var cubin = folder.resolve("kernel.cubin");
    var command = new ArrayList<>(List.of(program.toString(), "-v", "--gpu-name=" + target, "-o", cubin.toString()));
    if (lines) command.add(LINES);
    command.add(source.toString());
    var run = Toolkit.run(command);
    var log = run.log().replace(folder + "/", "").strip();
    return new Output(run.exit() == 0 ? Files.readAllBytes(cubin) : new byte[0], log);
  }
}
