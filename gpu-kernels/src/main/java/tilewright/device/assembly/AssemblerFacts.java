package tilewright.device.assembly;

import java.util.List;

/**
 * An assembler of this machine.
 *
 * @param version of the CUDA it belongs to, such as {@code 13.0}
 * @param location its path, or the jar it is part of
 * @param targets what it assembles for, such as {@code sm_90a}
 * @param newestPtx the newest {@code .version} it takes, such as {@code 8.0}
 */
public record AssemblerFacts(String name, String version, String location, List<String> targets, String newestPtx) {
  public AssemblerFacts {
    targets = List.copyOf(targets);
  }

  /** Whether it takes PTX of this version for this target. */
  public boolean takes(String target, String ptxVersion) {
    return targets.contains(target) && Float.parseFloat(ptxVersion) <= Float.parseFloat(newestPtx);
  }

  @Override
  public String toString() {
    return name + " " + version;
  }
}
