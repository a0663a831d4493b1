package tilewright.device.cubin;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * How the driver compiles PTX.
 *
 * @param maxRegisters a thread, where the PTX does not say it; more are spilled
 * @param lineInfo whether profilers shall find PTX lines
 */
public record CompileOptions(OptionalInt maxRegisters, boolean lineInfo) {
  public static final CompileOptions DEFAULT = new CompileOptions(OptionalInt.empty(), false);

  private static final int MAX_REGISTERS = 0;
  private static final int GENERATE_LINE_INFO = 13;

  /** The {@code CUjit_option}s that are not the default (cuda.h). */
  List<Integer> names() {
    var names = new ArrayList<Integer>();
    if (maxRegisters.isPresent()) names.add(MAX_REGISTERS);
    if (lineInfo) names.add(GENERATE_LINE_INFO);
    return names;
  }

  /** The values of {@link #names()}. */
  List<Long> values() {
    var values = new ArrayList<Long>();
    maxRegisters.ifPresent(n -> values.add((long) n));
    if (lineInfo) values.add(1L);
    return values;
  }
}
