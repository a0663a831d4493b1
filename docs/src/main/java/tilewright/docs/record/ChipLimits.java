package tilewright.docs.record;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import tilewright.kernel.Chip;

/** The limits of the GPUs that configurations are chosen for and that the simulator stands for, one row each. */
public final class ChipLimits {
  private ChipLimits() {}

  public static void write(Path generated) throws IOException {
    Files.writeString(generated.resolve("chip-limits.adoc"), table());
  }

  static String table() {
    var table = new StringBuilder("[cols=\"2,2,>1,>2,>2,>2,>1,>2\"]\n|===\n|GPU |Target |SMs |Shared memory of an SM "
        + "|Most of a CTA |Threads of an SM |L2 |Memory\n\n");
    for (var chip : Chip.values()) {
      var sm = chip.multiprocessor();
      table.append(String.format(Locale.ROOT, "|%s |`%s` |%d |%d KB |%d KB |%d |%d MB |%.2f TB/s%n", chip.text(),
          ChipRuns.target(chip), chip.multiprocessors(), sm.sharedBytes() >> 10, sm.ctaSharedBytes() >> 10,
          sm.threads(), chip.l2Bytes() >> 20, chip.memoryBytesPerSecond() / 1e12));
    }
    return table + "|===\n";
  }
}
