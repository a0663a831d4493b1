package tilewright.simulator.memory;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import tilewright.simulator.Finding.Kind;
import tilewright.simulator.core.Access;
import tilewright.simulator.core.Fault;
import tilewright.simulator.core.Warp;

/** The output of threads: the text they print, and assertions that fail. */
public final class Console {
  private static final int LONGEST = 1 << 20;

  private Console() {}

  /** {@code vprintf}: gives the number of characters. */
  public static void print(Warp w, int mask, long[] format, long[] arguments, int[] result, int site) {
    for (int lane = 0; lane < Warp.LANES; lane++) {
      if ((mask >>> lane & 1) == 0) continue;
      int thread = lane;
      long values = arguments[lane];
      var text = PrintfFormat.format(text(w, lane, format[lane], site),
          (offset, bytes) -> read(w, thread, values + offset, bytes, site), a -> text(w, thread, a, site));
      w.cta.print(text);
      result[lane] = text.length();
    }
  }

  /** {@code __assertfail}. */
  public static void assertionFailed(Warp w, int mask, long[] message, long[] file, int[] line, long[] function,
      int site) {
    int lane = Integer.numberOfTrailingZeros(mask);
    throw new Fault(Kind.ASSERTION, site, lane, 0, text(w, lane, file[lane], site) + ":" + line[lane] + ": "
        + text(w, lane, function[lane], site) + ": " + w.who(lane) + ": assertion `"
        + text(w, lane, message[lane], site) + "` failed");
  }

  private static String text(Warp w, int lane, long address, int site) {
    var bytes = new ByteArrayOutputStream();
    for (long a = address; bytes.size() < LONGEST; a++) {
      int b = (int) read(w, lane, a, 1, site);
      if (b == 0) break;
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Some bytes at a generic address. */
  private static long read(Warp w, int lane, long address, int bytes, int site) {
    var addresses = new long[Warp.LANES];
    addresses[lane] = address;
    Memory.generic(w, 1 << lane, addresses, 0, bytes, Access.READ, site);
    var base = w.base == Warp.PER_LANE ? w.bases[lane] : w.base;
    int at = w.offsets[lane];
    return switch (bytes) {
      case 1 -> base[at] & 0xFF;
      case 4 -> (int) Moves.INT.get(base, at);
      default -> (long) Moves.LONG.get(base, at);
    };
  }
}
