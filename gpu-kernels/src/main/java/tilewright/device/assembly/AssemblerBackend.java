package tilewright.device.assembly;

/** One assembler. */
interface AssemblerBackend {
  AssemblerFacts facts();

  /**
   * Either the code with the log, or the log of what is wrong.
   *
   * @param target one of the facts' targets
   * @param lines whether the code names the source lines of the PTX's {@code .loc} directives
   */
  Output assemble(String ptx, String target, boolean lines);

  /** The option that PTX compilers have for source lines. */
  String LINES = "--generate-line-info";

  /** @param cubin empty when the PTX was rejected */
  record Output(byte[] cubin, String log) {}
}
