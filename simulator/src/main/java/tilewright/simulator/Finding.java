package tilewright.simulator;

import tilewright.ptx.Dim3;

/**
 * One thing that is wrong with a launch, at one instruction.
 *
 * @param message one line that says what happened, to whom and where
 * @param line of the PTX text, 0 when no instruction is to blame
 * @param source {@code File.java:12} from {@code .loc}, or the empty text
 * @param block of the first occurrence
 * @param thread of the first occurrence, within its block
 * @param address of the first occurrence, as an offset into its buffer, shared or local memory
 * @param count occurrences at this instruction
 */
public record Finding(Kind kind, String message, int line, String source, Dim3 block, Dim3 thread, long address,
    long count) {

  /** What went wrong. Those before {@link #RACE} stop the launch. */
  public enum Kind {
    OUT_OF_BOUNDS, MISALIGNED, DEADLOCK, BARRIER_DIVERGENCE, TRAP, INVALID_OPERATION, INSTRUCTION_LIMIT, TIME_LIMIT,
    RACE, UNINITIALIZED_READ, PENDING_COPY_READ;

    /** Whether the launch ended there. */
    public boolean stops() {
      return compareTo(RACE) < 0;
    }
  }

  @Override
  public String toString() {
    var where = line > 0 ? " at PTX line " + line : "";
    var from = source.isEmpty() ? "" : " (" + source + ")";
    return kind + where + from + ": " + message + (count > 1 ? " [" + count + " times]" : "");
  }
}
