package tilewright.verification.backend;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.ptx.FamilyTarget;
import tilewright.ptx.Launch;
import tilewright.ptx.PtxCheck;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Coordinates;
import tilewright.simulator.Finding;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/** The simulator, sanitizer on. What kernels print goes to standard error, apart from results. */
public final class SimulatorBackend implements Backend {
  private final long seed;
  private final OptionalInt architecture;
  private final Optional<Chip> chip;

  private SimulatorBackend(long seed, OptionalInt architecture, Optional<Chip> chip) {
    this.seed = seed;
    this.architecture = architecture;
    this.chip = chip;
  }

  /** A simulator with the tensor-core arithmetic of the PTX's own target. */
  public SimulatorBackend(long seed) {
    this(seed, OptionalInt.empty(), Optional.empty());
  }

  /** A simulator with the tensor-core arithmetic of a newer GPU: its compute capability times ten. */
  public static SimulatorBackend of(long seed, int architecture) {
    return new SimulatorBackend(seed, OptionalInt.of(architecture), Optional.empty());
  }

  /** A simulator that stands for a GPU: with its arithmetic and limits, and without what it does not run. */
  public static SimulatorBackend of(long seed, Chip chip) {
    return new SimulatorBackend(seed, OptionalInt.of(chip.capability()), Optional.of(chip));
  }

  @Override
  public Backend seeded(long other) {
    return new SimulatorBackend(other, architecture, chip);
  }

  @Override
  public String name() {
    return "sim";
  }

  @Override
  public Optional<String> refuses(String arch) {
    return chip.flatMap(gpu -> Architectures.refusal(arch, gpu.capability(), "the " + gpu.text()));
  }

  @Override
  public Optional<String> refuses(CompiledKernel kernel) {
    return chip.flatMap(gpu -> kernel.target().refusal(gpu.capability(), "the " + gpu.text())
        .or(() -> lacking(kernel, gpu)).or(() -> excess(kernel, gpu)));
  }

  private static Optional<String> excess(CompiledKernel kernel, Chip gpu) {
    int needed = kernel.dynamicSharedBytes();
    int held = gpu.multiprocessor().ctaSharedBytes();
    return needed <= held ? Optional.empty() : Optional.of("needs " + needed + " bytes of shared memory, a CTA of the "
        + gpu.text() + " has " + held);
  }

  /** What a GPU of the kernel's family does not have of its own. */
  private static Optional<String> lacking(CompiledKernel kernel, Chip gpu) {
    var text = kernel.ptx();
    var renamed = FamilyTarget.of(text, gpu.capability());
    return renamed.equals(text) ? Optional.empty()
        : PtxCheck.check(PtxParser.parse(renamed)).stream().findFirst()
            .map(finding -> finding.text().split(" ")[0] + " " + finding.rule());
  }

  @Override
  public Outcome run(Launch launch) {
    return run(launch, Map.of());
  }

  @Override
  public Outcome run(Launch launch, Map<String, Coordinates> elements) {
    var program = Simulator.load(chip.map(gpu -> FamilyTarget.of(launch.ptx(), gpu.capability()))
        .orElse(launch.ptx()));
    int arithmetic = architecture.orElse(capability(launch));
    var options = SimulatorOptions.defaults().withSeed(seed).withSanitizer(true).withArchitecture(arithmetic)
        .withCoordinates(elements).withOutput(System.err::print);
    var result = program.run(launch, options);
    var findings = result.findings().stream().map(Finding::toString).toList();
    return new Outcome(result.time().toNanos() / 1e6, arithmetic, findings);
  }

  private static int capability(Launch launch) {
    var target = launch.ptx().lines().filter(line -> line.startsWith(".target")).findFirst().orElseThrow();
    return Integer.parseInt(target.replaceAll("\\D", ""));
  }

  @Override
  public void close() {}
}
