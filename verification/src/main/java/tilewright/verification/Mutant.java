package tilewright.verification;

import tilewright.ptx.PtxModule;

/**
 * A kernel with one thing wrong.
 *
 * @param change what was changed, and on which instruction
 */
public record Mutant(String change, PtxModule module) {
  /** The change, without the module around it. */
  @Override
  public String toString() {
    return change;
  }
}
