package tilewright.verification;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;

/** Assembles the PTX of kernels, each text once, where this machine has an assembler for its target. */
final class AssemblyCheck {
  private final Assembler assembler = Assembler.find();
  private final Map<String, Optional<String>> known = new HashMap<>();

  /** Returns the assembler's reason for rejecting the text, or its report of spilled registers, if any. */
  Optional<String> rejection(String ptx) {
    return known.computeIfAbsent(ptx, this::assemble);
  }

  private Optional<String> assemble(String ptx) {
    var target = ptx.lines().filter(line -> line.startsWith(".target ")).findFirst().orElseThrow().substring(8).strip();
    return switch (assembler.assemble(ptx, target)) {
      case Assembly.Assembled assembled -> assembled.resources().stream().filter(r -> r.spillStoreBytes() > 0)
          .findFirst().map(r -> r.entry() + " spills " + r.spillStoreBytes() + " bytes of registers");
      case Assembly.Rejected rejected ->
          Optional.of(rejected.assembler() + ": " + rejected.log().lines().findFirst().orElse("rejected"));
      case Assembly.Unavailable _ -> Optional.empty();
    };
  }
}
