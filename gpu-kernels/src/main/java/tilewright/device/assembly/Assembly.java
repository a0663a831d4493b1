package tilewright.device.assembly;

import java.util.List;

/** The result of assembling PTX. */
public sealed interface Assembly {

  /**
   * Machine code.
   *
   * @param resources one for each kernel, in the order compiled
   * @param warnings lines of the log that warn, among them notes of lost performance such as serialised {@code wgmma}
   * @param assembler which made it
   */
  record Assembled(byte[] cubin, List<Resources> resources, List<String> warnings, AssemblerFacts assembler)
      implements Assembly {
    public Assembled {
      resources = List.copyOf(resources);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * The PTX is wrong.
   *
   * @param log the assembler's, with line numbers
   */
  record Rejected(String log, AssemblerFacts assembler) implements Assembly {}

  /** No assembler of this machine takes this target and PTX version. */
  record Unavailable(String reason) implements Assembly {}

  /**
   * The resources that one kernel needs.
   *
   * @param registers per thread
   * @param spillStoreBytes a thread
   * @param spillLoadBytes a thread
   * @param stackBytes a thread, spills among them
   * @param sharedBytes a block, static
   */
  record Resources(
      String entry, int registers, int spillStoreBytes, int spillLoadBytes, int stackBytes, int sharedBytes) {}
}
