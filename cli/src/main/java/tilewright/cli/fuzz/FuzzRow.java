package tilewright.cli.fuzz;

import java.util.List;
import tilewright.simulator.fuzz.PtxTrial;

/**
 * The result of one kernel's mutations with one seed.
 *
 * @param config how many texts a seed gives; kernels have their first settings
 * @param failures one of each kind
 */
record FuzzRow(String kernel, String arch, String config, long seed, int texts, List<PtxTrial.Failure> failures) {
  FuzzRow {
    failures = List.copyOf(failures);
  }
}
