package tilewright.verification;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.Chip;

/** Assembles the PTX of kernels, each text once, where this machine has an assembler for its target. */
final class AssemblyCheck {
  private final ChipAssembler assembler;
  private final Map<String, Optional<String>> known = new HashMap<>();

  /** @param chip to assemble for; empty for the target that each text names */
  AssemblyCheck(Optional<Chip> chip) {
    assembler = new ChipAssembler(chip);
  }

  AssemblyCheck() {
    this(Optional.empty());
  }

  /** Returns the assembler's reason for rejecting the text, or its report of spilled registers, if any. */
  Optional<String> rejection(String ptx) {
    return known.computeIfAbsent(ptx, this::assemble);
  }

  private Optional<String> assemble(String ptx) {
    return switch (assembler.assemble(ptx)) {
      case Assembly.Assembled assembled -> assembled.resources().stream().filter(r -> r.spillStoreBytes() > 0)
          .findFirst().map(r -> r.entry() + " spills " + r.spillStoreBytes() + " bytes of registers");
      case Assembly.Rejected rejected ->
          Optional.of(rejected.assembler() + ": " + rejected.log().lines().findFirst().orElse("rejected"));
      case Assembly.Unavailable _ -> Optional.empty();
    };
  }
}
