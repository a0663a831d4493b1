package tilewright.device.assembly;

/** One assembler. */
interface AssemblerBackend {
  AssemblerFacts facts();

  /**
   * Either the code with the log, or the log of what is wrong.
   *
   * @param target one of the facts' targets
   */
  Output assemble(String ptx, String target);

  /** @param cubin empty when the PTX was rejected */
  record Output(byte[] cubin, String log) {}
}
