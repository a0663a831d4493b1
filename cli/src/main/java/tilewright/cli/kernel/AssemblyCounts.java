package tilewright.cli.kernel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tilewright.cli.io.CommandFailure;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.verification.ChipAssembler;
import tilewright.verification.KernelConfiguration;

/** Counts what an assembler says of kernels in many configurations: of each text once. */
final class AssemblyCounts {
  private final Optional<Chip> chip;
  private final ChipAssembler assembler;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Map<String, Count> counts = new LinkedHashMap<>();

  AssemblyCounts(Optional<Chip> chip, List<String> kernels) {
    this.chip = chip;
    this.assembler = new ChipAssembler(chip);
    kernels.forEach(kernel -> counts.put(kernel, new Count()));
  }

  /**
   * The counts of a kernel.
   *
   * @param chip the GPU that it was assembled for, or empty for its own target
   * @param configurations all of them, those that follow among them
   * @param refused configurations that the kernel does not have
   * @param lacking configurations that need what the GPU does not have, such as shared memory
   * @param texts that were assembled: configurations may have one text, and a configuration may launch several
   * @param spilling texts that spill registers, {@code spillBytes} of a thread at most
   * @param warned texts that the assembler warns of
   * @param rejected texts that it does not assemble
   */
  record Row(String kernel, String chip, int configurations, int refused, int lacking, int texts, int spilling,
      int spillBytes, int warned, int rejected) {
    boolean clean() {
      return spilling == 0 && rejected == 0;
    }
  }

  /** Outcome of a configuration; {@code notes} name the texts of it that spill or are rejected. */
  record Verdict(String kernel, Outcome outcome, List<Assembly> assemblies, List<String> notes) {}

  private enum Outcome { REFUSED, LACKING, ASSEMBLED }

  private static final class Count {
    private int configurations;
    private int refused;
    private int lacking;
    private int texts;
    private int spilling;
    private int spillBytes;
    private int warned;
    private int rejected;
  }

  /** Traces and assembles a configuration; may be called by several threads. */
  Verdict assemble(KernelConfiguration configuration) {
    var kernels = configuration.kernels();
    if (kernels.isEmpty()) return new Verdict(configuration.kernel(), Outcome.REFUSED, List.of(), List.of());
    if (kernels.get().stream().anyMatch(this::isBeyond)) {
      return new Verdict(configuration.kernel(), Outcome.LACKING, List.of(), List.of());
    }
    var assemblies = kernels.get().stream()
        .filter(kernel -> seen.add(configuration.kernel() + PtxFolder.hash(KernelConfiguration.text(kernel))))
        .map(kernel -> assembler.assemble(kernel.ptx())).toList();
    return verdict(configuration, assemblies);
  }

  private boolean isBeyond(CompiledKernel kernel) {
    return assembler.refuses(kernel).isPresent();
  }

  static Verdict verdict(KernelConfiguration of, List<Assembly> assemblies) {
    var notes = new ArrayList<String>();
    for (var assembly : assemblies) {
      if (assembly instanceof Assembly.Rejected rejected) {
        notes.add("%s %s: %s".formatted(of.kernel(), of.config(), rejected.log().strip()));
      }
      int spilled = spilled(assembly);
      if (spilled > 0) notes.add("%s %s spills %d bytes".formatted(of.kernel(), of.config(), spilled));
    }
    return new Verdict(of.kernel(), Outcome.ASSEMBLED, assemblies, notes);
  }

  /** Bytes that the entry of a text that spills most has spilled. */
  private static int spilled(Assembly assembly) {
    return assembly instanceof Assembly.Assembled assembled ? assembled.resources().stream()
        .mapToInt(Assembly.Resources::spillStoreBytes).max().orElse(0) : 0;
  }

  /** Adds a verdict; only one thread calls this at a time. */
  void add(Verdict verdict) {
    var count = counts.get(verdict.kernel);
    count.configurations++;
    if (verdict.outcome == Outcome.REFUSED) count.refused++;
    if (verdict.outcome == Outcome.LACKING) count.lacking++;
    for (var assembly : verdict.assemblies) {
      if (assembly instanceof Assembly.Unavailable(var reason)) throw CommandFailure.environmentLacks(reason);
      count.texts++;
      if (assembly instanceof Assembly.Rejected) count.rejected++;
      if (assembly instanceof Assembly.Assembled assembled && !assembled.warnings().isEmpty()) count.warned++;
      int spilled = spilled(assembly);
      if (spilled > 0) count.spilling++;
      count.spillBytes = Math.max(count.spillBytes, spilled);
    }
  }

  List<Row> rows() {
    return counts.entrySet().stream().map(entry -> {
      var c = entry.getValue();
      return new Row(entry.getKey(), chip.map(Chip::text).orElse(""), c.configurations, c.refused, c.lacking, c.texts,
          c.spilling, c.spillBytes, c.warned, c.rejected);
    }).toList();
  }
}
