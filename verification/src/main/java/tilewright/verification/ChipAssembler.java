package tilewright.verification;

import java.util.Optional;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.ptx.FamilyTarget;
import tilewright.verification.backend.SimulatorBackend;

/** Assembles PTX for a GPU, or for the target that the text names. */
public final class ChipAssembler {
  private static final String TARGET = ".target ";
  /** Seed of a simulator that only says what the chip lacks. */
  private static final long SEED = 1;

  private final Assembler assembler = Assembler.find();
  private final Optional<Chip> chip;

  /** @param chip to assemble for; empty for the target that each text names */
  public ChipAssembler(Optional<Chip> chip) {
    this.chip = chip;
  }

  /** Why the GPU does not run a kernel, such as too little shared memory, if it does not. */
  public Optional<String> refuses(CompiledKernel kernel) {
    return chip.flatMap(gpu -> SimulatorBackend.of(SEED, gpu).refuses(kernel));
  }

  /** Assembles a text for the target that {@link #target} names. */
  public Assembly assemble(String ptx) {
    return assembler.assemble(renamed(ptx), target(ptx));
  }

  /** The target that a text is assembled for, such as {@code sm_103a}. */
  public String target(String ptx) {
    var named = renamed(ptx).lines().filter(line -> line.startsWith(TARGET)).findFirst().orElseThrow()
        .substring(TARGET.length()).strip();
    return named.endsWith("a") ? named : chip.map(gpu -> "sm_" + gpu.capability()).orElse(named);
  }

  private String renamed(String ptx) {
    return chip.map(gpu -> FamilyTarget.of(ptx, gpu.capability())).orElse(ptx);
  }
}
