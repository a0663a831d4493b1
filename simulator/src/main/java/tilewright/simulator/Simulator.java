package tilewright.simulator;

import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;

/** Loads PTX for execution on the CPU. */
public final class Simulator {
  private Simulator() {}

  /**
   * Parses a module and checks that every instruction of it can be executed.
   *
   * @throws UnsupportedPtxException naming every instruction the simulator lacks, by line
   */
  public static Program load(String ptx) {
    return load(PtxParser.parse(ptx));
  }

  /** As {@link #load(String)}, for a module that was parsed or built already. */
  public static Program load(PtxModule module) {
    return Program.of(module);
  }
}
