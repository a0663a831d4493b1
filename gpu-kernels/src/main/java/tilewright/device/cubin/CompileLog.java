package tilewright.device.cubin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The driver's error and information logs, and the compiler's options: {@code CUjit_option} and values by pairs. */
public final class CompileLog {
  private static final int LOG_BYTES = 64 << 10;
  private static final int INFORMATION = 3;
  private static final int INFORMATION_BYTES = 4;
  private static final int ERRORS = 5;
  private static final int ERRORS_BYTES = 6;

  private final MemorySegment errors;
  private final MemorySegment information;
  private final int count;
  private final MemorySegment options;
  private final MemorySegment values;

  public CompileLog(Arena arena, CompileOptions chosen) {
    errors = arena.allocate(LOG_BYTES);
    information = arena.allocate(LOG_BYTES);
    var names = IntStream.concat(IntStream.of(ERRORS, ERRORS_BYTES, INFORMATION, INFORMATION_BYTES),
        chosen.names().stream().mapToInt(Integer::intValue)).toArray();
    count = names.length;
    options = arena.allocateFrom(JAVA_INT, names);
    values = arena.allocateFrom(JAVA_LONG, LongStream.concat(
        LongStream.of(errors.address(), LOG_BYTES, information.address(), LOG_BYTES),
        chosen.values().stream().mapToLong(Long::longValue)).toArray());
  }

  /** How many pairs. */
  public int count() {
    return count;
  }

  /** Where the options lie. */
  public long options() {
    return options.address();
  }

  /** Where their values lie. */
  public long values() {
    return values.address();
  }

  public String text() {
    return (errors.getString(0) + "\n" + information.getString(0)).strip();
  }
}
