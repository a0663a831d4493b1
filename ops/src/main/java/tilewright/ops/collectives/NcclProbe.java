package tilewright.ops.collectives;

import java.nio.file.Path;
import java.util.Optional;

/** Whether this machine has NCCL. */
public sealed interface NcclProbe {

  /**
   * NCCL is there.
   *
   * @param library file, or the name by which the dynamic linker finds it
   * @param version such as 2.28.9
   */
  record Available(String library, String version) implements NcclProbe {}

  /** NCCL is missing, or is no library that this machine loads. */
  record Missing(String reason) implements NcclProbe {}

  /** Looks for NCCL where communicators do. */
  static NcclProbe ofThisMachine() {
    return of(Optional.empty(), NcclSearch.ofThisMachine());
  }

  static NcclProbe of(Optional<Path> given, NcclSearch search) {
    try {
      var nccl = Nccl.load(given, search);
      return new Available(nccl.toString(), nccl.version());
    } catch (CollectiveException e) {
      return new Missing(e.getMessage());
    }
  }
}
